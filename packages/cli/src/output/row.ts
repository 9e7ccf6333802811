import type { Paint } from './color.ts';
import { foreignLine } from './foreign-text.ts';
import { displayWidth, pad, truncate } from './width.ts';
import { wordOf } from './words.ts';

/** `glyph word id title aside` (one line of every listing and of progress). */
export interface Row {
  /** Item or run state, or another word of the vocabulary. */
  readonly state: string;
  readonly id: string;
  /** Foreign text; may be cut to fit a terminal. */
  readonly title?: string;
  /** Numbers and times; never cut. */
  readonly aside?: string;
}

export interface RowStyle {
  /** Columns to fit titles into; undefined leaves them whole (pipes). */
  readonly columns: number | undefined;
  readonly glyphs: 'unicode' | 'ascii' | 'none';
  readonly paint: Paint;
}

/** Renders rows with shared columns for word and id. Ids, states and numbers are never cut; titles are. */
export function renderRows(rows: readonly Row[], style: RowStyle): string[] {
  const idWidth = Math.min(40, Math.max(0, ...rows.map((row) => displayWidth(row.id))));
  return rows.map((row) => renderRow(row, style, idWidth));
}

/** Renders one row; `idWidth` pads the id so that rows of a list line up. */
export function renderRow(row: Row, style: RowStyle, idWidth = 12): string {
  const word = wordOf(row.state);
  const shown = foreignLine(word.word);
  const glyph = style.glyphs === 'none' ? '' : `${style.glyphs === 'ascii' ? word.ascii : word.glyph} `;
  const id = foreignLine(row.id);
  const aside = foreignLine(row.aside ?? '');
  const title = foreignLine(row.title ?? '');
  const shownTitle =
    style.columns === undefined
      ? title
      : truncate(
          title,
          style.columns -
            displayWidth(glyph) -
            Math.max(9, shown.length + 1) -
            Math.max(displayWidth(id), idWidth) -
            2 -
            (aside === '' ? 0 : displayWidth(aside) + 2),
          style.glyphs === 'unicode' ? '…' : '...',
        );
  const head = `${style.paint(word.tone, glyph + shown)}${' '.repeat(Math.max(1, 9 - shown.length))}`;
  const rest = [shownTitle, aside].filter((part) => part !== '').join('  ');
  return (head + (rest === '' ? id : `${pad(id, idWidth)}  ${rest}`)).trimEnd();
}

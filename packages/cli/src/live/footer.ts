import { type FollowedItem, type RunModel } from '../follow/run-model.ts';
import { foreignLine } from '../output/foreign-text.ts';
import { type Row, type RowStyle, renderRow } from '../output/row.ts';
import { elapsed } from '../output/time.ts';
import { displayWidth, truncate } from '../output/width.ts';

const MAX_ROWS = 10;

/** What the person watching chose with the keys. */
export interface FooterChoice {
  readonly selected: string | undefined;
  readonly failedOnly: boolean;
  /** Last log lines of the selected item, while `l` is on. */
  readonly tail: readonly string[] | undefined;
  readonly notice: string | undefined;
}

/** Rows a footer may take: ten, or a third of the window. */
export function footerRows(windowRows: number): number {
  return Math.max(2, Math.min(MAX_ROWS, Math.floor(windowRows / 3)));
}

/** The item that key `a` answers: the selected one where it asks, else the first that does. */
export function waitingItem(model: RunModel, selected: string | undefined): string | undefined {
  const asking = [...model.items.values()].filter(({ state }) => state === 'needs_input');
  return (asking.find(({ id }) => id === selected) ?? asking[0])?.id;
}

/** Items the keys j and k walk through, in the order the footer shows them. */
export function selectable(model: RunModel, failedOnly: boolean): FollowedItem[] {
  const waiting: FollowedItem[] = [];
  const troubled: FollowedItem[] = [];
  const running: FollowedItem[] = [];
  for (const item of model.items.values()) {
    if (item.state === 'needs_input' && !failedOnly) waiting.push(item);
    else if (item.state === 'failed' || item.state === 'denied' || item.isRetrying) troubled.push(item);
    else if (item.state === 'running' && !failedOnly) running.push(item);
  }
  running.sort((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0));
  return [...waiting, ...troubled, ...running];
}

/**
 * The part of the screen that is redrawn, at most `rows` lines none of which reaches the last column.
 * Beyond the rows items fold by state; what waits for a person comes first, then failed and retrying items.
 */
export function footerLines(
  model: RunModel,
  choice: FooterChoice,
  window: { readonly columns: number; readonly rows: number },
  style: RowStyle,
  now: number,
): string[] {
  const limit = footerRows(window.rows);
  const status = statusLine(model, choice, now);
  const body =
    choice.tail === undefined
      ? itemLines(model, choice, limit - 1, now)
      : tailLines(model, choice, choice.tail, limit - 1, now);
  return [...body.map((row) => fitRow(row, window.columns, style)), fitText(status, window.columns, style)];
}

type Line = Row | string;

function itemLines(model: RunModel, choice: FooterChoice, rows: number, now: number): Line[] {
  const items = selectable(model, choice.failedOnly);
  const waiting = model.count('pending') + model.count('ready');
  const waitingLine: Line[] =
    waiting === 0 || choice.failedOnly ? [] : [{ state: 'waiting', id: countOf(waiting), title: '' }];
  const room = rows - waitingLine.length;
  if (items.length <= room) return [...items.map((item) => itemRow(item, choice, now)), ...waitingLine];
  const shown = visible(items, choice.selected, Math.max(0, room - 1));
  const hidden = items.filter((item) => !shown.includes(item));
  return [...shown.map((item) => itemRow(item, choice, now)), foldLine(hidden), ...waitingLine].slice(
    0,
    rows,
  );
}

/** A window over the items that keeps the selected one in sight. */
function visible(items: readonly FollowedItem[], selected: string | undefined, room: number): FollowedItem[] {
  const index = items.findIndex((item) => item.id === selected);
  const start = index < room ? 0 : index - room + 1;
  return items.slice(start, start + room);
}

function foldLine(hidden: readonly FollowedItem[]): Line {
  const running = hidden.filter((item) => item.state === 'running').length;
  const asking = hidden.filter((item) => item.state === 'needs_input').length;
  const troubled = hidden.length - running - asking;
  const parts = [
    asking === 0 ? '' : `${asking} waiting for you`,
    troubled === 0 ? '' : `${troubled} failed or retrying`,
    running === 0 ? '' : `${running} running`,
  ].filter((part) => part !== '');
  return `         and ${parts.join(', ')} more`;
}

function itemRow(item: FollowedItem, choice: FooterChoice, now: number): Row {
  const isRunning = item.state === 'running';
  const title = isRunning
    ? [item.title, item.attempt > 1 ? `attempt ${item.attempt}` : ''].filter((part) => part !== '').join('  ')
    : (item.reason ?? '');
  return {
    state: item.isRetrying ? 'retry' : item.state,
    id: item.id === choice.selected ? `> ${item.id}` : item.id,
    title,
    aside: isRunning && item.startedAt !== undefined ? elapsed(now - item.startedAt) : '',
  };
}

function tailLines(
  model: RunModel,
  choice: FooterChoice,
  tail: readonly string[],
  rows: number,
  now: number,
): Line[] {
  const item = choice.selected === undefined ? undefined : model.items.get(choice.selected);
  const head: Line[] = item === undefined ? [] : [itemRow(item, choice, now)];
  const room = rows - head.length;
  return [...head, ...(room > 0 ? tail.slice(-room).map((line) => `  ${foreignLine(line)}`) : [])];
}

function statusLine(model: RunModel, choice: FooterChoice, now: number): string {
  const failed = model.count('failed') + model.count('denied');
  const parts = [
    elapsed(now - model.run.submitted_at),
    `${model.finished}/${model.items.size}`,
    failed === 0 ? '' : `${failed} failed`,
    model.costUsd === undefined ? '' : `$${model.costUsd.toFixed(2)}`,
    choice.notice ??
      `${model.count('needs_input') === 0 ? '' : 'a answer  '}q detach  j k select  l log  f failed`,
  ];
  return parts.filter((part) => part !== '').join('  ');
}

function countOf(amount: number): string {
  return `${amount} ${amount === 1 ? 'item' : 'items'}`;
}

function fitRow(line: Line, columns: number, style: RowStyle): string {
  if (typeof line === 'string') return fitText(line, columns, style);
  const plain = renderRow(line, { ...style, columns: columns - 1, paint: (_, text) => text });
  if (displayWidth(plain) > columns - 1)
    return truncate(plain, columns - 1, style.glyphs === 'ascii' ? '...' : '…');
  return renderRow(line, { ...style, columns: columns - 1 });
}

function fitText(text: string, columns: number, style: RowStyle): string {
  return truncate(text, columns - 1, style.glyphs === 'ascii' ? '...' : '…');
}

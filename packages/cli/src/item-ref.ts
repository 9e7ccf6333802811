import { type ItemView, PalisadeError } from '@palisade/contracts';
import { nearest } from '@palisade/contracts/nearest';
import { UsageError } from './tree/usage-error.ts';

/** A run and, if given, one of its items: `RUN` or `RUN/ITEM`. */
export interface ItemRef {
  readonly run: string;
  readonly item: string | undefined;
}

/** Reads `RUN[/ITEM]`. Names hold no slash, so the first one divides. */
export function parseItemRef(word: string): ItemRef {
  const slash = word.indexOf('/');
  const run = slash < 0 ? word : word.slice(0, slash);
  const item = slash < 0 ? undefined : word.slice(slash + 1);
  if (run === '' || item === '') throw new UsageError(`"${word}" is no RUN/ITEM`, { next: 'pal show RUN' });
  return { run, item };
}

/** Reads `RUN[/ITEM]` beside items that are named otherwise: all that are meant, or none for the whole run. */
export function parseItemsRef(
  word: string,
  others: readonly string[],
): { readonly run: string; readonly items: readonly string[] } {
  const { run, item } = parseItemRef(word);
  return { run, items: item === undefined || others.includes(item) ? others : [item, ...others] };
}

/** The item of a run; `not_found` with the nearest, for the command that was typed. */
export function itemNamed(items: readonly ItemView[], run: string, name: string, command: string): ItemView {
  const found = items.find(({ id }) => id === name);
  if (found !== undefined) return found;
  const meant = nearest(
    name,
    items.map(({ id }) => id),
  );
  throw new PalisadeError('not_found', `run ${run} has no item "${name}"`, {
    next: meant === undefined ? `pal show ${run}` : `pal ${command} ${run}/${meant}`,
  });
}

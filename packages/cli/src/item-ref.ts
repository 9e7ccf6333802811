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

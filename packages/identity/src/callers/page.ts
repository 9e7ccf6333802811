import { invalidCursor } from '@palisade/contracts';

const PAGE = 50;

/** What a list asks for. */
export interface PageInput {
  readonly limit?: number | undefined;
  /** Id of the last one shown. */
  readonly cursor?: string | undefined;
}

/** One page: `read` is asked for one more than is shown, to know whether there are more. */
export async function pageOf<T, V extends { readonly id: string }>(
  { limit = PAGE, cursor }: PageInput,
  read: (page: { readonly after: string | undefined; readonly limit: number }) => Promise<readonly T[]>,
  view: (item: T) => V,
): Promise<{ data: V[]; has_more: boolean; next_cursor?: string }> {
  const found = await read({ after: cursor, limit: limit + 1 });
  const data = found.slice(0, limit).map(view);
  const last = data.at(-1);
  const hasMore = found.length > limit;
  return { data, has_more: hasMore, ...(hasMore && last !== undefined ? { next_cursor: last.id } : {}) };
}

/** The cursor of a list whose entries are numbered. Raises `invalid_cursor`. */
export function numberOf(cursor: string): number {
  const number = Number(cursor);
  if (/^(0|[1-9][0-9]*)$/.test(cursor) && Number.isSafeInteger(number)) return number;
  throw invalidCursor();
}

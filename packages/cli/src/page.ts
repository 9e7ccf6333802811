/** What of a list is asked for, as an operation takes it: only what was typed. */
export function pageOf<C>({
  limit,
  cursor,
}: {
  readonly limit: number | undefined;
  readonly cursor: C | undefined;
}): {
  limit?: number;
  cursor?: C;
} {
  return { ...(limit === undefined ? {} : { limit }), ...(cursor === undefined ? {} : { cursor }) };
}

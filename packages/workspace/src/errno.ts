/** The `code` of a system error, e.g. `ENOENT`; undefined for anything else. */
export function errno(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

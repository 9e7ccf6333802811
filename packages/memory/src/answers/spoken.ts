/** What a name may hold that passes for a line or a direction of its own. */
export const UNSPOKEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** A name within a sentence: one that could pass for sentences of its own is quoted. */
export function spoken(path: string): string {
  return UNSPOKEN.test(path) ? JSON.stringify(path) : path;
}

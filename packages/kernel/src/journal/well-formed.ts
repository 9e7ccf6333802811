/**
 * A copy of plain JSON data in which every lone surrogate, in values and member names, became
 * U+FFFD, as it would in UTF-8. Everything else is kept for the canonical form to judge.
 */
export function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key.toWellFormed(), wellFormed(member)]),
  );
}

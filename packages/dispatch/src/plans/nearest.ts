/** ` (did you mean "x"?)` when one known id is close, else nothing. */
export function nearest(id: string, known: Iterable<string>): string {
  // The work grows with the square of the length, and nobody mistypes such names.
  if (id.length > 64) return '';
  let best: string | null = null;
  // A third of the letters may differ: with more, anything short resembles anything.
  let bestDistance = Math.max(1, Math.floor((id.length + 1) / 3)) + 1;
  let looked = 0;
  for (const candidate of known) {
    if (++looked > 500) break;
    if (candidate.length > 64) continue;
    const distance = editDistance(id, candidate, bestDistance);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = candidate;
    }
  }
  return best === null ? '' : ` (did you mean "${best}"?)`;
}

function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(substitution, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    previous = row;
  }
  return previous[b.length] ?? limit;
}

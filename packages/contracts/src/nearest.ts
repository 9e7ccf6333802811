/** Names that are compared: the work grows with the square of their length, and nobody mistypes longer ones. */
const LONGEST = 64;
/** Candidates that are looked at. */
const LOOKED_AT = 1_000;

/**
 * The candidate closest to `word` by edit distance, or undefined when none is close enough to be meant. A third of the letters may
 * differ, and one has to be the same: with less, anything short resembles anything. An ending that two names of files share
 * says nothing of how near they are.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > LONGEST) return undefined;
  let best: string | undefined;
  let bestDistance = Infinity;
  let looked = 0;
  for (const candidate of candidates) {
    if (++looked > LOOKED_AT) break;
    if (candidate.startsWith(word) && word.length >= 3) return candidate;
    if (candidate.length > LONGEST) continue;
    const [typed, known] = withoutSharedEnding(word, candidate);
    const allowed = Math.max(1, Math.floor((typed.length + 1) / 3));
    if (Math.abs(known.length - typed.length) > allowed) continue;
    const found = distance(typed, known);
    if (found > allowed || found >= Math.max(typed.length, known.length) || found >= bestDistance) continue;
    best = candidate;
    bestDistance = found;
  }
  return best;
}

/** `p.json` and `ev.json` as `p` and `ev`. */
function withoutSharedEnding(a: string, b: string): readonly [string, string] {
  const ending = /(?<=.)\.[^.]+$/.exec(a)?.[0];
  return ending !== undefined && b.length > ending.length && b.endsWith(ending)
    ? [a.slice(0, -ending.length), b.slice(0, -ending.length)]
    : [a, b];
}

/** ` (did you mean "x"?)` when one candidate is {@link nearest}, else nothing. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const meant = nearest(word, candidates);
  return meant === undefined ? '' : ` (did you mean "${meant}"?)`;
}

/** Damerau-Levenshtein distance with adjacent transpositions. */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i++) {
    const row: number[] = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let value = Math.min(at(i - 1, j) + 1, (row[j - 1] ?? 0) + 1, at(i - 1, j - 1) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        value = Math.min(value, at(i - 2, j - 2) + 1);
      row.push(value);
    }
  }
  return at(a.length, b.length);
}

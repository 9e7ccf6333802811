import { truncateText } from '@palisade/contracts';

const AROUND = 120;

/** One line around the place where most of the words are first. */
export function snippetOf(text: string, words: readonly string[]): string {
  const folded = text.toLowerCase();
  // Lower case may be longer than what it is of, in a few scripts; then the place is a guess.
  const places = words.map((word) => folded.indexOf(word.toLowerCase())).filter((at) => at >= 0);
  const best =
    places.toSorted((one, other) => near(places, other) - near(places, one) || one - other)[0] ?? 0;
  return around(text, best, best);
}

function near(places: readonly number[], at: number): number {
  return places.filter((place) => Math.abs(place - at) <= AROUND).length;
}

/** One line with what is between two places and a little around it, cut on code points. */
export function around(text: string, start: number, end: number): string {
  const from = Math.max(0, start - AROUND);
  const to = Math.min(text.length, Math.max(start, Math.min(end, start + AROUND)) + AROUND);
  const part = text.slice(from, to).toWellFormed().replaceAll('\uFFFD', '').replaceAll(/\s+/g, ' ').trim();
  return truncateText(`${from > 0 ? '\u2026' : ''}${part}${to < text.length ? '\u2026' : ''}`, 500);
}

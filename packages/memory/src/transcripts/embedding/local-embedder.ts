import { crc32 } from 'node:zlib';
import type { Embedder } from './embedder.ts';

const DIMENSIONS = 1024;
/** One for each component that a feature falls on, so that two features hardly share all of them. */
const FACTORS = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d] as const;
const WORD = /[\p{L}\p{N}]+/gu;
/** Words that are in every text say nothing of it. */
const COMMON: ReadonlySet<string> = new Set(
  'a an and are as at be but by can do does for from has have how i if in into is it its not of on or so that the then there this to was we what when which will with you'.split(
    ' ',
  ),
);

/**
 * Vectors without a model: words and the sequences of three and four characters in them, each hashed to a few
 * signed components (the hashing trick, Weinberger et al. 2009). It knows other forms of a word, parts of
 * identifiers and slips of typing; it knows nothing of meaning: "car" and "automobile" are strangers to it.
 */
export const localEmbedder: Embedder = {
  provider: 'local',
  model: 'hashed-ngrams-1',
  // Short, because every word adds noise to the others.
  piece: { length: 1500, overlap: 150 },
  embed: (texts) => Promise.resolve(texts.map(vectorOf)),
};

function vectorOf(text: string): Float32Array {
  const weights = new Map<string, number>();
  const words =
    text
      .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
      .toLowerCase()
      .match(WORD) ?? [];
  for (const word of words) {
    if (COMMON.has(word)) continue;
    const add = (feature: string, weight: number): void => {
      weights.set(feature, (weights.get(feature) ?? 0) + weight);
    };
    add(word, 1);
    const characters = [...`^${word}$`];
    const grams = characters.length <= 4 ? 0 : characters.length - 2;
    for (let at = 0; at < grams; at++) add(`#${characters.slice(at, at + 3).join('')}`, 1 / grams);
    for (let at = 0; at < grams - 1; at++) add(`#${characters.slice(at, at + 4).join('')}`, 1 / grams);
  }
  const vector = new Float32Array(DIMENSIONS);
  for (const [feature, weight] of weights) {
    // What is said often is said hardly more.
    const value = weight > 1 ? 1 + Math.log(weight) : weight;
    const hash = crc32(feature);
    for (const factor of FACTORS) {
      const mixed = Math.imul(hash ^ (hash >>> 15), factor) >>> 0;
      // Ten bits for the component, the next one for the sign.
      const at = mixed >>> 22;
      vector[at] = (vector[at] ?? 0) + ((mixed & 0x200000) === 0 ? value : -value);
    }
  }
  return vector;
}

/** Something that makes vectors of texts, near to each other where the texts are alike. */
export interface Embedder {
  /** Vectors are only compared within one provider and model (L-20). */
  readonly provider: string;
  readonly model: string;
  /** How long pieces are, and how much of one is in the next, in UTF-16 units. */
  readonly piece: { readonly length: number; readonly overlap: number };
  /** One vector for each text, in their order. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>;
}

/**
 * A vector as it is kept: a byte for each dimension, after what they are to be multiplied by does not matter: only
 * directions are compared. A quarter of the room, for an error of less than half a percent of the longest component.
 */
export function packed(vector: Float32Array): Int8Array {
  const longest = vector.reduce((most, each) => Math.max(most, Math.abs(each)), 0);
  return longest === 0
    ? new Int8Array(vector.length)
    : Int8Array.from(vector, (each) => Math.round((each / longest) * 127));
}

/** Cosine of two packed vectors, -1 to 1; 0 of what has no direction or another number of dimensions. */
export function likeness(one: Int8Array, other: Int8Array): number {
  if (one.length !== other.length) return 0;
  let [dot, ones, others] = [0, 0, 0];
  for (let at = 0; at < one.length; at++) {
    const [a, b] = [one[at] ?? 0, other[at] ?? 0];
    dot += a * b;
    ones += a * a;
    others += b * b;
  }
  return ones === 0 || others === 0 ? 0 : dot / Math.sqrt(ones * others);
}

import { PalisadeError } from '@palisade/contracts';
import { emptyRoot, leafHash, nodeHash } from './merkle-hash.ts';

/**
 * The roots of the perfect subtrees that make up a tree of `size` leaves, largest first: all that
 * is needed to append and to know the root. One hash per set bit of `size`.
 */
export class CompactRange {
  #size = 0;
  readonly #hashes: Buffer[] = [];

  get size(): number {
    return this.#size;
  }

  /** Appends a leaf's data; amortised two hash computations. */
  append(data: Uint8Array): void {
    this.appendHash(leafHash(data));
  }

  /** Appends a leaf by its leaf hash. */
  appendHash(hash: Buffer): void {
    let merged = hash;
    // Every trailing one-bit of the size is a subtree that the new leaf completes with its neighbour.
    for (let rest = this.#size; rest % 2 === 1; rest = Math.floor(rest / 2)) {
      const left = this.#hashes.pop();
      if (left === undefined) throw new PalisadeError('internal', 'compact range has too few hashes');
      merged = nodeHash(left, merged);
    }
    this.#hashes.push(merged);
    this.#size++;
  }

  /** RFC 9162 tree hash of everything appended. */
  root(): Buffer {
    return foldRight(this.#hashes);
  }
}

/** Root over adjacent subtree roots, largest first (RFC 9162 §2.1.1: the right part is hashed first). */
export function foldRight(hashes: readonly Buffer[]): Buffer {
  let root = hashes.at(-1);
  if (root === undefined) return emptyRoot();
  for (let i = hashes.length - 2; i >= 0; i--) {
    const left = hashes[i];
    if (left !== undefined) root = nodeHash(left, root);
  }
  return root;
}

/** Root over leaf data in order. */
export function treeRoot(leaves: Iterable<Uint8Array>): Buffer {
  const range = new CompactRange();
  for (const leaf of leaves) range.append(leaf);
  return range.root();
}

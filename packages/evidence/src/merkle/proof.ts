import { PalisadeError } from '@palisade/contracts';
import { CompactRange, foldRight } from './compact-range.ts';
import { nodeHash } from './merkle-hash.ts';

/** A half-open range of leaves `[from, to)`. */
export interface LeafRange {
  readonly from: number;
  readonly to: number;
}

/** The root of a perfect subtree: `2^height` leaves starting at `index * 2^height`. */
export interface Subtree {
  readonly height: number;
  readonly index: number;
}

/** The ranges whose hashes form the inclusion proof of a leaf, from the leaf upwards (RFC 9162 §2.1.3.1). */
export function inclusionRanges(index: number, size: number): LeafRange[] {
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(size) || index < 0 || index >= size)
    throw new PalisadeError('invalid_input', `leaf ${index} is not in a tree of ${size}`);
  const ranges: LeafRange[] = [];
  let from = 0;
  let to = size;
  while (to - from > 1) {
    const middle = from + splitPoint(to - from);
    if (index < middle) {
      ranges.push({ from: middle, to });
      to = middle;
    } else {
      ranges.push({ from, to: middle });
      from = middle;
    }
  }
  return ranges.toReversed();
}

/** The ranges whose hashes prove that a tree of `oldSize` is a prefix of one of `size` (RFC 9162 §2.1.4.1). */
export function consistencyRanges(oldSize: number, size: number): LeafRange[] {
  if (!Number.isSafeInteger(oldSize) || !Number.isSafeInteger(size) || oldSize < 1 || oldSize > size)
    throw new PalisadeError('invalid_input', `a tree of ${oldSize} cannot be a prefix of a tree of ${size}`);
  const ranges: LeafRange[] = [];
  let from = 0;
  let to = size;
  // While nothing was cut off on the left, the old root itself is known to the verifier and left out.
  let isOldRoot = true;
  while (oldSize !== to) {
    const middle = from + splitPoint(to - from);
    if (oldSize <= middle) {
      ranges.push({ from: middle, to });
      to = middle;
    } else {
      ranges.push({ from, to: middle });
      from = middle;
      isOldRoot = false;
    }
  }
  if (!isOldRoot) ranges.push({ from, to });
  return ranges.toReversed();
}

/** The perfect subtrees of a range that came from {@link inclusionRanges} or {@link consistencyRanges}, largest first. */
export function subtreesOf(range: LeafRange): Subtree[] {
  const subtrees: Subtree[] = [];
  let from = range.from;
  while (from < range.to) {
    let height = 0;
    while (2 ** (height + 1) <= range.to - from) height++;
    subtrees.push({ height, index: from / 2 ** height });
    from += 2 ** height;
  }
  return subtrees;
}

/** Inclusion proof of one leaf of a small tree held in memory (a run's ledger, DI-224). */
export function inclusionProof(leaves: readonly Uint8Array[], index: number): Buffer[] {
  return inclusionRanges(index, leaves.length).map((range) => rangeRoot(leaves, range));
}

/** Consistency proof of the first `oldSize` leaves of a small tree held in memory. */
export function consistencyProof(leaves: readonly Uint8Array[], oldSize: number): Buffer[] {
  return consistencyRanges(oldSize, leaves.length).map((range) => rangeRoot(leaves, range));
}

/** The root an inclusion proof computes to, or null when its length does not fit (RFC 9162 §2.1.3.2). */
export function rootFromInclusion(
  leafHash: Buffer,
  index: number,
  size: number,
  proof: readonly Buffer[],
): Buffer | null {
  if (index < 0 || index >= size || proof.some((hash) => hash.length !== 32)) return null;
  let place = index;
  let last = size - 1;
  let root = leafHash;
  for (const sibling of proof) {
    if (last === 0) return null;
    if (place % 2 === 1 || place === last) {
      root = nodeHash(sibling, root);
      while (place % 2 === 0 && place !== 0) {
        place /= 2;
        last = Math.floor(last / 2);
      }
    } else {
      root = nodeHash(root, sibling);
    }
    place = Math.floor(place / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 ? root : null;
}

/** True when `proof` shows the leaf at `index` of the tree of `size` leaves with that root. */
export function verifyInclusion(
  leafHash: Buffer,
  index: number,
  size: number,
  proof: readonly Buffer[],
  root: Buffer,
): boolean {
  return rootFromInclusion(leafHash, index, size, proof)?.equals(root) === true;
}

/** True when `proof` shows that the old tree is a prefix of the new one (RFC 9162 §2.1.4.2). */
export function verifyConsistency(
  oldSize: number,
  oldRoot: Buffer,
  size: number,
  root: Buffer,
  proof: readonly Buffer[],
): boolean {
  if (oldSize < 1 || oldSize > size || proof.some((hash) => hash.length !== 32)) return false;
  if (oldSize === size) return proof.length === 0 && oldRoot.equals(root);
  const path = isPowerOfTwo(oldSize) ? [oldRoot, ...proof] : proof;
  const [first, ...rest] = path;
  if (first === undefined) return false;
  let place = oldSize - 1;
  let last = size - 1;
  while (place % 2 === 1) {
    place = Math.floor(place / 2);
    last = Math.floor(last / 2);
  }
  let oldHash = first;
  let newHash = first;
  for (const sibling of rest) {
    if (last === 0) return false;
    if (place % 2 === 1 || place === last) {
      oldHash = nodeHash(sibling, oldHash);
      newHash = nodeHash(sibling, newHash);
      while (place % 2 === 0 && place !== 0) {
        place /= 2;
        last = Math.floor(last / 2);
      }
    } else {
      newHash = nodeHash(newHash, sibling);
    }
    place = Math.floor(place / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 && oldHash.equals(oldRoot) && newHash.equals(root);
}

function rangeRoot(leaves: readonly Uint8Array[], range: LeafRange): Buffer {
  const tree = new CompactRange();
  for (const leaf of leaves.slice(range.from, range.to)) tree.append(leaf);
  return tree.root();
}

/** Root of consecutive hashes taken as the leaves of a tree of their own. */
export function rootOfHashes(hashes: readonly Buffer[]): Buffer {
  const tree = new CompactRange();
  for (const hash of hashes) tree.appendHash(hash);
  return tree.root();
}

/** Root of a range whose perfect subtrees have these roots, largest first. */
export const joinSubtrees = foldRight;

/** The largest power of two below `count` (RFC 9162 §2.1.1). */
function splitPoint(count: number): number {
  let power = 1;
  while (power * 2 < count) power *= 2;
  return power;
}

function isPowerOfTwo(value: number): boolean {
  return splitPoint(value * 2) === value;
}

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CompactRange, treeRoot } from './compact-range.ts';
import { emptyRoot, leafHash, nodeHash } from './merkle-hash.ts';
import { consistencyProof, inclusionProof, verifyConsistency, verifyInclusion } from './proof.ts';

/** The eight leaves of the published RFC 6962 vectors. */
const LEAVES = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
].map((hex) => Buffer.from(hex, 'hex'));
/** Published roots of the first 1 … 8 leaves. */
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];
const hex = (hashes: readonly Buffer[]) => hashes.map((hash) => hash.toString('hex'));
const bytes = fc.array(fc.uint8Array({ maxLength: 8 }), { minLength: 1, maxLength: 70 });

/** RFC 9162 §2.1.1 as it is written, recursively. */
function definition(leaves: readonly Uint8Array[]): Buffer {
  const [only] = leaves;
  if (only === undefined) return emptyRoot();
  if (leaves.length === 1) return leafHash(only);
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  return nodeHash(definition(leaves.slice(0, k)), definition(leaves.slice(k)));
}

describe('Merkle tree', () => {
  test('DI-224: the published RFC 6962 roots', () => {
    expect(emptyRoot().toString('hex')).toBe(
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    );
    expect(LEAVES.map((_, i) => treeRoot(LEAVES.slice(0, i + 1)).toString('hex'))).toEqual(ROOTS);
  });

  test('DI-224: the published RFC 6962 proofs', () => {
    expect(hex(inclusionProof(LEAVES, 0))).toEqual([
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ]);
    expect(hex(inclusionProof(LEAVES, 5))).toEqual([
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ]);
    expect(hex(consistencyProof(LEAVES, 6))).toEqual([
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ]);
    expect(hex(consistencyProof(LEAVES.slice(0, 5), 2))).toEqual([
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ]);
  });

  test('DI-224: appending gives the root of the definition', () => {
    fc.assert(
      fc.property(bytes, (leaves) => {
        const range = new CompactRange();
        for (const leaf of leaves) range.append(leaf);
        expect(range.root()).toEqual(definition(leaves));
        expect(range.size).toBe(leaves.length);
      }),
    );
  });

  test('DI-224: every leaf has a proof, and it proves nothing else', () => {
    fc.assert(
      fc.property(bytes, fc.nat(), fc.nat(), (leaves, pick, other) => {
        const size = leaves.length;
        const index = pick % size;
        const hash = leafHash(leaves[index] ?? new Uint8Array());
        const proof = inclusionProof(leaves, index);
        const root = definition(leaves);
        expect(verifyInclusion(hash, index, size, proof, root)).toBe(true);
        const wrongIndex = other % size;
        // Where the same bytes stand twice, the proof of the one can be that of the other.
        if (!leafHash(leaves[wrongIndex] ?? new Uint8Array()).equals(hash))
          expect(verifyInclusion(hash, wrongIndex, size, proof, root)).toBe(false);
        expect(verifyInclusion(leafHash(Buffer.from('another')), index, size, proof, root)).toBe(false);
        expect(verifyInclusion(hash, index, size, [...proof, root], root)).toBe(false);
        if (proof.length > 0) expect(verifyInclusion(hash, index, size, proof.slice(1), root)).toBe(false);
        expect(verifyInclusion(hash, size, size, proof, root)).toBe(false);
      }),
    );
  });

  test('DI-224: a tree is consistent with each of its beginnings and with no other tree', () => {
    fc.assert(
      fc.property(bytes, fc.nat(), (leaves, pick) => {
        const size = leaves.length;
        const old = 1 + (pick % size);
        const proof = consistencyProof(leaves, old);
        const oldRoot = definition(leaves.slice(0, old));
        const root = definition(leaves);
        expect(verifyConsistency(old, oldRoot, size, root, proof)).toBe(true);
        const rewritten = definition([Buffer.from('rewritten'), ...leaves.slice(1, old)]);
        expect(verifyConsistency(old, rewritten, size, root, proof)).toBe(false);
        expect(verifyConsistency(old, oldRoot, size, rewritten, proof)).toBe(false);
        expect(verifyConsistency(old, oldRoot, size, root, [...proof, root])).toBe(false);
        if (proof.length > 0)
          expect(verifyConsistency(old, oldRoot, size, root, proof.slice(0, -1))).toBe(false);
      }),
    );
  });
});

import { isPalisadeError } from '@palisade/contracts';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MemoryFiles, MemoryLeaves } from '../../test/memory-files.ts';
import { OPS_KEY, ORIGIN, testSigner } from '../../test/story.ts';
import { treeRoot } from '../merkle/compact-range.ts';
import { leafHash } from '../merkle/merkle-hash.ts';
import { verifyConsistency, verifyInclusion } from '../merkle/proof.ts';
import { parseCheckpoint } from './checkpoint.ts';
import { LogPublisher } from './log-publisher.ts';
import { LogReader } from './log-reader.ts';
import { entryBundle, tilePath } from './tile.ts';

function logOf(count = 0, files = new MemoryFiles()) {
  const leaves = new MemoryLeaves();
  const grow = (to: number) => {
    while (leaves.leaves.length < to) leaves.leaves.push(Buffer.from(`leaf ${leaves.leaves.length}`));
  };
  grow(count);
  const publisher = new LogPublisher({ files, leaves, origin: ORIGIN, signer: OPS_KEY });
  return { files, leaves, grow, publisher, reader: new LogReader(files) };
}
const snapshot = (files: MemoryFiles) =>
  new Map([...files.files].map(([name, b]) => [name, b.toString('hex')]));
const refusal = (message: RegExp) => (error: unknown) =>
  isPalisadeError(error, 'integrity_mismatch') && message.test(error.message);

describe('log publisher', () => {
  test('tiles are named as C2SP tlog-tiles names them', () => {
    expect(tilePath({ level: 0, index: 1234067, width: 256 })).toBe('tile/0/x001/x234/067');
    expect(tilePath({ level: 2, index: 0, width: 1 })).toBe('tile/2/000.p/1');
    expect(tilePath({ level: 'entries', index: 1000, width: 255 })).toBe('tile/entries/x001/000.p/255');
  });

  test('a log of 70,000 entries has exactly the files of the example in C2SP tlog-tiles', async () => {
    const { files, publisher, leaves, reader } = logOf(70_000);
    const { size, root } = await publisher.publish();
    expect(size).toBe(70_000);
    expect(root).toEqual(treeRoot(leaves.leaves));
    const names = [...files.files.keys()];
    const count = (pattern: RegExp) => names.filter((name) => pattern.test(name)).length;
    expect(count(/^tile\/0\/\d{3}$/)).toBe(273);
    expect(names.filter((name) => name.includes('.p/')).toSorted()).toEqual([
      'tile/0/273.p/112',
      'tile/1/001.p/17',
      'tile/2/000.p/1',
      'tile/entries/273.p/112',
    ]);
    expect(count(/^tile\/1\/\d{3}$/)).toBe(1);
    expect(count(/^tile\/entries\/\d{3}$/)).toBe(273);
    expect(files.writes.at(-1)).toBe('checkpoint');
    for (const index of [0, 255, 256, 65_535, 65_536, 69_887, 69_999]) {
      const proof = await reader.inclusionFor(index, size);
      expect(verifyInclusion(leafHash(Buffer.from(`leaf ${index}`)), index, size, proof, root)).toBe(true);
    }
    const entries = files.files.get('tile/entries/273.p/112');
    expect(entries?.equals(entryBundle(leaves.leaves.slice(273 * 256)))).toBe(true);
  });

  test('however publishing is cut into steps, the files are the same and every head is consistent with the next', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 8 }),
        async (steps) => {
          const { files, grow, publisher, reader, leaves } = logOf();
          let before: { size: number; root: Buffer } | null = null;
          for (const step of steps) {
            grow(leaves.leaves.length + step);
            const head = await publisher.publish();
            expect(head.root).toEqual(treeRoot(leaves.leaves));
            if (before !== null && before.size > 0) {
              const proof = await reader.consistencyFor(before.size, head.size);
              expect(verifyConsistency(before.size, before.root, head.size, head.root, proof)).toBe(true);
            }
            before = head;
          }
          const atOnce = logOf(leaves.leaves.length);
          await atOnce.publisher.publish();
          const all = snapshot(files);
          for (const [name, bytes] of snapshot(atOnce.files))
            expect([name, all.get(name)]).toEqual([name, bytes]);
        },
      ),
      { numRuns: 25 },
    );
  });

  test('DI-226: publishing the same entries again writes the same bytes', async () => {
    const { files, publisher } = logOf(700);
    await publisher.publish();
    const before = snapshot(files);
    await publisher.publish();
    await publisher.publish({ rebuild: true });
    expect(snapshot(files)).toEqual(before);
  });

  test('a crash at any write leaves the old head provable and the next publish whole', async () => {
    const reference = logOf(600);
    await reference.publisher.publish();
    for (let failAfter = 0; ; failAfter++) {
      const { files, grow, publisher, reader } = logOf(250);
      await publisher.publish();
      grow(600);
      files.failAfter = failAfter;
      const crashed = await publisher.publish().then(
        () => false,
        () => true,
      );
      files.failAfter = Number.POSITIVE_INFINITY;
      if (!crashed) break;
      expect((await reader.prove(249, Buffer.from('leaf 249'))).tree_size).toBe(250);
      await publisher.publish();
      const all = snapshot(files);
      for (const [name, bytes] of snapshot(reference.files))
        expect([name, all.get(name)]).toEqual([name, bytes]);
    }
  });

  test('one more entry on a log of 200,000 touches a handful of files', async () => {
    const { files, publisher, leaves } = logOf(200_000);
    await publisher.publish();
    leaves.leaves.push(Buffer.from('one more'));
    files.reads.length = 0;
    files.writes.length = 0;
    let leavesRead = 0;
    const read = leaves.read.bind(leaves);
    leaves.read = async (from, count) => {
      leavesRead += count;
      return read(from, count);
    };
    await publisher.publish();
    expect(files.reads.length).toBeLessThanOrEqual(4);
    expect(files.writes).toEqual(['tile/0/781.p/65', 'tile/entries/781.p/65', 'checkpoint']);
    expect(leavesRead).toBeLessThanOrEqual(256);
    files.reads.length = 0;
    await new LogReader(files).prove(100_000, Buffer.from('leaf 100000'));
    expect(files.reads.length).toBeLessThanOrEqual(12);
  });

  test('entries that do not extend the published head are refused and nothing is signed', async () => {
    const shorter = logOf(300);
    await shorter.publisher.publish();
    shorter.leaves.leaves.length = 299;
    await expect(shorter.publisher.publish()).rejects.toSatisfy(refusal(/300 entries and now has 299/));

    const changed = logOf(300);
    await changed.publisher.publish();
    changed.grow(310);
    changed.leaves.leaves[280] = Buffer.from('rewritten');
    await expect(changed.publisher.publish()).rejects.toSatisfy(refusal(/root that was published/));

    const rewritten = logOf(300);
    await rewritten.publisher.publish();
    const whole = snapshot(rewritten.files);
    rewritten.leaves.leaves[3] = Buffer.from('rewritten');
    await expect(rewritten.publisher.publish({ rebuild: true })).rejects.toSatisfy(
      refusal(/root that was published/),
    );
    expect(snapshot(rewritten.files)).toEqual(whole);

    const foreign = logOf(3);
    await foreign.publisher.publish();
    const other = new LogPublisher({ ...foreign, origin: 'other.example/log', signer: OPS_KEY });
    await expect(other.publish()).rejects.toSatisfy(refusal(/another log/));

    for (const { files } of [shorter, changed, rewritten, foreign]) {
      const note = files.files.get('checkpoint')?.toString() ?? '';
      expect([3, 300]).toContain(parseCheckpoint(note)?.checkpoint.size);
    }
  });

  test('lost or damaged files at the edge of the log are made again by whoever publishes next', async () => {
    for (const edge of ['tile/0/002.p/188', 'tile/1/000.p/2'])
      for (const damage of [null, Buffer.alloc(32), Buffer.alloc(188 * 32)]) {
        const { files, grow, publisher, leaves } = logOf(700);
        await publisher.publish();
        const whole = snapshot(files);
        if (damage === null) files.files.delete(edge);
        else files.files.set(edge, damage);
        files.files.delete('tile/0/000');
        await publisher.publish();
        expect([edge, snapshot(files)]).toEqual([edge, whole]);
        files.files.delete(edge);
        grow(1_000);
        expect((await publisher.publish()).root).toEqual(treeRoot(leaves.leaves));
      }
  });

  test('lost or damaged files further back are noticed by a proof, and made again on demand', async () => {
    const { files, publisher, reader } = logOf(700);
    await publisher.publish();
    const whole = snapshot(files);
    const prove = () => reader.prove(3, Buffer.from('leaf 3'));
    files.files.set('tile/0/000', Buffer.alloc(8192, 1));
    await expect(prove()).rejects.toSatisfy(refusal(/do not prove/));
    files.files.delete('tile/0/000');
    await expect(prove()).rejects.toSatisfy(refusal(/lost its file/));
    await publisher.publish({ rebuild: true });
    expect(snapshot(files)).toEqual(whole);
  });

  test('partial files are removed once the full tile is there, and old proofs still work', async () => {
    const { files, grow, publisher, reader } = logOf();
    for (const size of [1, 100, 255]) {
      grow(size);
      await publisher.publish();
    }
    grow(300);
    await publisher.publish();
    expect([...files.files.keys()].toSorted()).toEqual([
      'checkpoint',
      'tile/0/000',
      'tile/0/001.p/44',
      'tile/1/000.p/1',
      'tile/entries/000',
      'tile/entries/001.p/44',
    ]);
    const old = treeRoot(Array.from({ length: 100 }, (_, i) => Buffer.from(`leaf ${i}`)));
    const proof = await reader.inclusionFor(99, 100);
    expect(verifyInclusion(leafHash(Buffer.from('leaf 99')), 99, 100, proof, old)).toBe(true);
  });

  test('FF-142: a log whose key was rotated is signed by the new key from then on', async () => {
    const { files, leaves, publisher } = logOf(10);
    const before = await publisher.publish();
    const rotated = await new LogPublisher({
      files,
      leaves,
      origin: ORIGIN,
      signer: testSigner(2),
    }).publish();
    expect(rotated.root).toEqual(before.root);
    expect(rotated.checkpoint).not.toBe(before.checkpoint);
  });

  test('an entry that is too long for its bundle is refused', async () => {
    const { leaves, publisher, files } = logOf(3);
    leaves.leaves.push(Buffer.alloc(65_536));
    await expect(publisher.publish()).rejects.toThrow(/at most 65535/);
    expect(files.files.has('checkpoint')).toBe(false);
  });
});

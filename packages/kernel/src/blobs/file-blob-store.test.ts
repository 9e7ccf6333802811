import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmod,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type ContentHash, contentHash } from '@palisade/contracts';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { blobPath } from './blob-layout.ts';
import { type FileBlobStore, fileBlobStore } from './file-blob-store.ts';

let base: string;
let root: string;
let store: FileBlobStore;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'palisade-blobs-'));
  root = join(base, 'blobs');
  store = fileBlobStore(root);
});
afterEach(() => rm(base, { recursive: true, force: true }));

const HOUR = 3_600_000;
const put = async (text: string): Promise<ContentHash> => (await store.put(Buffer.from(text))).hash;
const ageBy = async (hash: ContentHash, ms: number): Promise<void> => {
  const then = new Date(Date.now() - ms);
  await utimes(blobPath(root, hash), then, then);
};
const damage = async (hash: ContentHash, bytes: Uint8Array): Promise<void> => {
  await chmod(blobPath(root, hash), 0o600);
  await writeFile(blobPath(root, hash), bytes);
};
const allFiles = async (): Promise<string[]> =>
  (await readdir(root, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);

describe('put and get', () => {
  it('DI-020: what is put is got back by its address, whatever the bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), async (bytes) => {
        const { hash, size } = await store.put(bytes);
        expect(hash).toBe(contentHash(bytes));
        expect(size).toBe(bytes.byteLength);
        expect((await store.get(hash)).equals(bytes)).toBe(true);
        expect((await buffer(await store.stream(hash))).equals(bytes)).toBe(true);
        expect((await readFile(await store.path(hash))).equals(bytes)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('DI-020: bytes that hash otherwise than expected are refused and nothing is kept', async () => {
    const other = contentHash('other');
    await expect(store.put(Buffer.from('x'), other)).rejects.toMatchObject({ code: 'integrity_mismatch' });
    const source = join(base, 'source');
    await writeFile(source, 'x');
    await expect(store.putFile(source, { expected: other })).rejects.toMatchObject({
      code: 'integrity_mismatch',
    });
    expect((await store.list({ limit: 10 })).hashes).toEqual([]);
    await store.putFile(source, { expected: contentHash('x') });
    expect(await allFiles()).toEqual([contentHash('x').slice(7)]);
  });

  it('DI-020: equal content put again keeps the one file', async () => {
    const hash = await put('same');
    const before = await stat(blobPath(root, hash));
    await put('same');
    const source = join(base, 'source');
    await writeFile(source, 'same');
    await store.putFile(source);
    expect((await stat(blobPath(root, hash))).ino).toBe(before.ino);
    expect(await allFiles()).toHaveLength(1);
  });

  it('DI-021: absence is not_found with the address, and only absence is', async () => {
    const hash = contentHash('nothing');
    for (const read of [() => store.get(hash), () => store.stream(hash), () => store.path(hash)])
      await expect(read()).rejects.toMatchObject({
        code: 'not_found',
        message: expect.stringContaining(hash),
      });
    expect(await store.has(hash)).toBe(false);
    await expect(store.get('sha256:../../etc/passwd')).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(store.remove('sha256:../../etc/passwd')).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('DI-021: damage is found by every read, whether bytes flipped, were cut or were added', async () => {
    const text = 'x'.repeat(600_000);
    const hash = await put(text);
    for (const bytes of [`y${text.slice(1)}`, text.slice(1), `${text}x`, '']) {
      await damage(hash, Buffer.from(bytes));
      for (const read of [
        () => store.get(hash),
        () => store.path(hash),
        async () => buffer(await store.stream(hash)),
      ])
        await expect(read()).rejects.toMatchObject({ code: 'integrity_mismatch' });
    }
  });

  it('DI-021: parts join to the content, also past its end, and a part that is all of it is verified', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 400 }),
        fc.integer({ min: 1, max: 150 }),
        async (bytes, length) => {
          const { hash, size } = await store.put(bytes);
          const parts: Buffer[] = [];
          for (let offset = 0; offset <= size; offset += length) {
            const part = await store.part(hash, { offset, length });
            expect(part.size).toBe(size);
            parts.push(part.bytes);
          }
          expect(Buffer.concat(parts).equals(bytes)).toBe(true);
          expect((await store.part(hash, { offset: size + 9, length })).bytes).toHaveLength(0);
        },
      ),
      { numRuns: 30 },
    );
    const hash = await put('small and whole');
    await damage(hash, Buffer.from('small and wrong'));
    await expect(store.part(hash, { offset: 0, length: 100 })).rejects.toMatchObject({
      code: 'integrity_mismatch',
    });
    await expect(store.part(contentHash('nothing'), { offset: 0, length: 1 })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('a stream holds back its end until the content is verified', async () => {
    const hash = await put('small and whole');
    await damage(hash, Buffer.from('small and wrong'));
    let seen = 0;
    const stream = await store.stream(hash);
    stream.on('data', (chunk: Buffer) => {
      seen += chunk.length;
    });
    await new Promise((resolve) => stream.once('error', resolve));
    expect(seen).toBe(0);
  });

  it('putting the content again repairs a damaged blob', async () => {
    const hash = await put('precious');
    await damage(hash, Buffer.from('previous'));
    await put('precious');
    expect((await store.get(hash)).toString()).toBe('precious');
  });

  it('DI-030: reads and puts are bounded', async () => {
    const hash = await put('12345');
    expect((await store.get(hash, { maxBytes: 5 })).toString()).toBe('12345');
    await expect(store.get(hash, { maxBytes: 4 })).rejects.toMatchObject({ code: 'too_large' });
    const source = join(base, 'source');
    await writeFile(source, '123456');
    await expect(store.putFile(source, { maxBytes: 5 })).rejects.toMatchObject({ code: 'too_large' });
    expect(await allFiles()).toEqual([hash.slice(7)]);
    await store.putFile(source, { maxBytes: 6 });
  });

  it('links, directories and pipes in the place of a source or a blob are not followed', async () => {
    const target = join(base, 'secret');
    await writeFile(target, 'outside');
    await symlink(target, join(base, 'link'));
    await mkdir(join(base, 'directory'));
    execFileSync('mkfifo', [join(base, 'pipe')]);
    for (const name of ['link', 'directory', 'pipe'])
      await expect(store.putFile(join(base, name)), name).rejects.toMatchObject({ code: 'unsafe_path' });
    await expect(store.putFile(join(base, 'absent'))).rejects.toMatchObject({ code: 'not_found' });
    const hash = await put('outside');
    await unlink(blobPath(root, hash));
    await symlink(target, blobPath(root, hash));
    await expect(store.get(hash)).rejects.toMatchObject({ code: 'integrity_mismatch' });
  });
});

describe('many at once', () => {
  it('a burst of puts keeps descriptors bounded and syncs directories far less than once a blob', async () => {
    let syncs = 0;
    const counted = fileBlobStore(join(base, 'counted'), {
      sync: async () => {
        syncs++;
        await new Promise((resolve) => setTimeout(resolve, 5));
      },
    });
    // All in one leaf directory: found by search, so that the sharing of syncs is what is measured.
    const texts: string[] = [];
    for (let i = 0; texts.length < 40; i++)
      if (contentHash(`${i}`).startsWith('sha256:00')) texts.push(`${i}`);
    await Promise.all(texts.map((text) => counted.put(Buffer.from(text))));
    for (const text of texts) expect(await counted.has(contentHash(text))).toBe(true);
    const withoutSharing = texts.length * 4;
    expect(syncs).toBeLessThan(withoutSharing / 1.5);
    await Promise.all(Array.from({ length: 2000 }, (_, i) => store.put(Buffer.from(`blob ${i % 500}`))));
    expect((await store.list({ limit: 1000 })).hashes).toHaveLength(500);
  });

  it('DI-030: listing is paged, ordered and complete', async () => {
    const hashes: ContentHash[] = [];
    for (let i = 0; i < 60; i++) hashes.push(await put(`item ${i}`));
    hashes.sort();
    const seen: ContentHash[] = [];
    for (let after: ContentHash | undefined; ; ) {
      const page: Awaited<ReturnType<FileBlobStore['list']>> = await store.list({
        limit: 7,
        ...(after === undefined ? {} : { after }),
      });
      seen.push(...page.hashes);
      if (page.next === null) break;
      after = page.next;
    }
    expect(seen).toEqual(hashes);
    expect((await store.list({ limit: 60 })).next).toBeNull();
    expect(await fileBlobStore(join(base, 'none')).list({ limit: 1 })).toEqual({ hashes: [], next: null });
    await expect(store.list({ limit: 0 })).rejects.toMatchObject({ code: 'invalid_input' });
  });
});

describe('collection', () => {
  it('DI-030: only what is unreachable and old goes', async () => {
    const [reached, young, old] = [await put('reached'), await put('young'), await put('old')];
    await ageBy(reached, 3 * HOUR);
    await ageBy(old, 3 * HOUR);
    expect(await store.collect(new Set([reached]), { before: Date.now() - HOUR })).toEqual({
      kept: 2,
      removed: 1,
      bytes: 3,
    });
    expect(await Promise.all([reached, young, old].map((hash) => store.has(hash)))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('DI-030: putting equal content again protects an old blob', async () => {
    const hash = await put('wanted again');
    await ageBy(hash, 3 * HOUR);
    await put('wanted again');
    expect((await store.collect(new Set(), { before: Date.now() - HOUR })).removed).toBe(0);
  });

  it('DI-030: a put that races a collection never loses its content', async () => {
    const collector = fileBlobStore(root);
    for (let round = 0; round < 40; round++) {
      const hash = await put('contended');
      await ageBy(hash, 3 * HOUR);
      const putting = put('contended').then(async () => (await store.get(hash)).toString());
      const [text] = await Promise.all([
        putting,
        collector.collect(new Set(), { before: Date.now() - HOUR }),
      ]);
      expect(text).toBe('contended');
      expect(await store.has(hash)).toBe(true);
      expect((await readdir(join(root, 'trash'))).length).toBe(0);
    }
  });

  it('DI-030: what a collection that died left in the trash is decided by the next one', async () => {
    const [young, old] = [await put('young'), await put('old')];
    await mkdir(join(root, 'trash'));
    await ageBy(old, 3 * HOUR);
    for (const hash of [young, old]) {
      await link(blobPath(root, hash), join(root, 'trash', hash.slice(7)));
      await unlink(blobPath(root, hash));
    }
    expect((await store.get(young)).toString()).toBe('young');
    await store.collect(new Set(), { before: Date.now() - HOUR });
    expect(await store.path(young)).toBe(blobPath(root, young));
    expect(await store.has(old)).toBe(false);
  });

  it('removal is idempotent', async () => {
    const hash = await put('x');
    await store.remove(hash);
    await store.remove(hash);
    expect(await store.has(hash)).toBe(false);
  });

  it('a fan-out directory removed under the store is made again', async () => {
    const hash = await put('x');
    await rm(dirname(dirname(blobPath(root, hash))), { recursive: true });
    await rm(join(root, 'tmp'), { recursive: true });
    expect(await put('x')).toBe(hash);
    expect(await store.has(hash)).toBe(true);
  });
});

describe('trouble', () => {
  it('FF-169: directories with blanks, quotes, percent signs, umlauts and CJK letters work', async () => {
    const odd = fileBlobStore(join(base, `a b'c"d %20 ü 漢字`, 'blobs'));
    const { hash } = await odd.put(Buffer.from('x'));
    expect((await readFile(await odd.path(hash))).toString()).toBe('x');
  });

  it('temp files of crashed writers are cleared away, those of living ones are not', async () => {
    await put('makes the directories');
    const [mine] = await tempNameOf(process.pid);
    const dead = spawnSync(process.execPath, ['-e', '0']).pid;
    const [theirs] = await tempNameOf(dead);
    const foreign = (mine ?? '').replace(/^[mh][0-9a-f]+/, 'm0123456789abcdef');
    for (const name of [mine, theirs, foreign]) await writeFile(join(root, 'tmp', name ?? ''), 'half');
    await fileBlobStore(root).put(Buffer.from('another process'));
    expect((await readdir(join(root, 'tmp'))).sort()).toEqual([mine, foreign].sort());
    const longAgo = new Date(Date.now() - 30 * HOUR);
    await utimes(join(root, 'tmp', foreign), longAgo, longAgo);
    await store.collect(new Set());
    expect(await readdir(join(root, 'tmp'))).toEqual([mine]);
  });

  it('a truncated blob is repaired by a put and never read as whole', async () => {
    const bytes = randomBytes(100_000);
    const { hash } = await store.put(bytes);
    await chmod(blobPath(root, hash), 0o600);
    await truncate(blobPath(root, hash), 50_000);
    await expect(store.get(hash)).rejects.toMatchObject({ code: 'integrity_mismatch' });
    await store.put(bytes);
    expect((await store.get(hash)).equals(bytes)).toBe(true);
  });
});

/** A temp file name as another process of this machine would have made it. */
async function tempNameOf(pid: number): Promise<[string]> {
  const { writerMark } = await import('./writer-mark.ts');
  return [writerMark().replace(`_${process.pid}_`, `_${pid}_`)];
}

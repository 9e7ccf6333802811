import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { BlobStore } from '../blobs.ts';
import { type ContentHash, contentHash } from '../canonical-json.ts';
import { codeOf } from './code-of.ts';
import type { TestTools } from './test-tools.ts';

/** How the suite gets at the store it tests. */
export interface BlobConformanceOptions {
  readonly name: string;
  /**
   * Opens a store over the place `key` names, below `directory` where it needs files: the same key again is another
   * process's view of the same content, another key is an empty store.
   */
  readonly open: (directory: string, key: string) => BlobStore | Promise<BlobStore>;
  /** Changes the stored bytes of a blob behind the store's back, in whatever form it keeps them. */
  readonly damage: (directory: string, key: string, hash: ContentHash) => void | Promise<void>;
}

/**
 * Every promise of the seam `BlobStore` (DI-020, DI-021, DI-030), as tests against a real store. Call it at the top level of a
 * test file with the runner's own functions:
 *
 *     blobStoreConformance({ name: 'mine', open, damage }, { describe, it, expect });
 */
export function blobStoreConformance(
  options: BlobConformanceOptions,
  { describe, it, expect }: TestTools,
): void {
  const withStore = async (test: (bench: Bench) => Promise<void>): Promise<void> => {
    const directory = mkdtempSync(join(tmpdir(), 'palisade-blobs-'));
    const open = async (key = 'one'): Promise<BlobStore> => options.open(directory, key);
    const damage = async (hash: ContentHash): Promise<void> => options.damage(directory, 'one', hash);
    try {
      mkdirSync(join(directory, 'sources'));
      await test({ store: await open(), open, damage, source: (text) => sourceFile(directory, text) });
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  };

  describe(`DI-158: blob store conformance: ${options.name}`, () => {
    it('DI-020: what is put is got back by its address, whatever the bytes and however it is read', () =>
      withStore(async ({ store, source }) => {
        const every = Uint8Array.from({ length: 256 }, (_, i) => i);
        for (const bytes of [Buffer.alloc(0), Buffer.from('text'), every, Buffer.alloc(300_000, every)]) {
          const { hash, size } = await store.put(bytes);
          expect(hash).toBe(contentHash(bytes));
          expect(size).toBe(bytes.byteLength);
          expect((await store.get(hash)).equals(bytes)).toBe(true);
          expect((await buffer(await store.stream(hash))).equals(bytes)).toBe(true);
          expect(readFileSync(await store.path(hash)).equals(bytes)).toBe(true);
          expect(await store.has(hash)).toBe(true);
        }
        expect(await store.putFile(source('from a file'))).toEqual({
          hash: contentHash('from a file'),
          size: 11,
        });
      }));

    it('DI-020: bytes that hash otherwise than expected are refused, and nothing is kept', () =>
      withStore(async ({ store, source }) => {
        const expected = contentHash('other');
        expect(await codeOf(store.put(Buffer.from('x'), expected))).toBe('integrity_mismatch');
        expect(await codeOf(store.putFile(source('x'), { expected }))).toBe('integrity_mismatch');
        expect((await store.list({ limit: 10 })).hashes).toEqual([]);
        expect((await store.putFile(source('x'), { expected: contentHash('x') })).size).toBe(1);
      }));

    it('DI-021: absence is not_found, and an address that is none is invalid_input', () =>
      withStore(async ({ store }) => {
        const hash = contentHash('nothing');
        const reads = [
          () => store.get(hash),
          () => store.stream(hash),
          () => store.path(hash),
          () => store.part(hash, { offset: 0, length: 1 }),
        ];
        for (const read of reads) expect(await codeOf(read())).toBe('not_found');
        expect(await store.has(hash)).toBe(false);
        const outside = 'sha256:../../etc/passwd' as ContentHash;
        expect(await codeOf(store.get(outside))).toBe('invalid_input');
        expect(await codeOf(store.path(outside))).toBe('invalid_input');
        expect(await codeOf(store.remove(outside))).toBe('invalid_input');
      }));

    it('DI-021: damage is integrity_mismatch in every read, and a put of the content repairs it', () =>
      withStore(async ({ store, damage, open }) => {
        const bytes = Buffer.from('precious'.repeat(10_000));
        const { hash } = await store.put(bytes);
        await damage(hash);
        // Another process, so that nothing it remembers can stand in for what is stored.
        const other = await open();
        expect(await codeOf(other.get(hash))).toBe('integrity_mismatch');
        expect(await codeOf(other.path(hash))).toBe('integrity_mismatch');
        expect(await codeOf(other.part(hash, { offset: 0, length: bytes.length }))).toBe(
          'integrity_mismatch',
        );
        expect(await codeOf(other.stream(hash).then((stream) => buffer(stream)))).toBe('integrity_mismatch');
        await other.put(bytes);
        expect((await store.get(hash)).equals(bytes)).toBe(true);
      }));

    it('DI-021: parts join to the content, also past its end', () =>
      withStore(async ({ store }) => {
        const bytes = Buffer.from('0123456789');
        const { hash } = await store.put(bytes);
        for (const length of [1, 3, 10, 11]) {
          const parts: Buffer[] = [];
          for (let offset = 0; offset <= bytes.length; offset += length) {
            const part = await store.part(hash, { offset, length });
            expect(part.size).toBe(bytes.length);
            parts.push(part.bytes);
          }
          expect(Buffer.concat(parts).toString()).toBe(bytes.toString());
        }
        expect((await store.part(hash, { offset: 19, length: 5 })).bytes.length).toBe(0);
      }));

    it('DI-030: reads and puts are bounded', () =>
      withStore(async ({ store, source }) => {
        const { hash } = await store.put(Buffer.from('12345'));
        expect((await store.get(hash, { maxBytes: 5 })).toString()).toBe('12345');
        expect(await codeOf(store.get(hash, { maxBytes: 4 }))).toBe('too_large');
        expect(await codeOf(store.putFile(source('123456'), { maxBytes: 5 }))).toBe('too_large');
        expect((await store.list({ limit: 10 })).hashes).toEqual([hash]);
        expect(await codeOf(store.putFile(`${source('x')}.absent`))).toBe('not_found');
      }));

    it('DI-030: listing is paged, ordered and complete; removal is idempotent', () =>
      withStore(async ({ store, open }) => {
        const put: ContentHash[] = [];
        for (let i = 0; i < 23; i++) put.push((await store.put(Buffer.from(`item ${i}`))).hash);
        put.sort();
        const seen: ContentHash[] = [];
        for (let after: ContentHash | null | undefined; after !== null; ) {
          const page = await store.list({ limit: 7, ...(after === undefined ? {} : { after }) });
          seen.push(...page.hashes);
          after = page.next;
        }
        expect(seen).toEqual(put);
        expect((await store.list({ limit: 23 })).next).toBe(null);
        const [first = contentHash('')] = put;
        await store.remove(first);
        await store.remove(first);
        expect(await store.has(first)).toBe(false);
        expect((await (await open('two')).list({ limit: 1 })).hashes).toEqual([]);
      }));

    it('DI-020: equal content put by many at once, in two processes, is stored once and whole', () =>
      withStore(async ({ store, open }) => {
        const other = await open();
        const bytes = Buffer.alloc(50_000, 'same');
        await Promise.all(Array.from({ length: 16 }, (_, i) => (i % 2 === 0 ? store : other).put(bytes)));
        expect((await store.list({ limit: 10 })).hashes).toEqual([contentHash(bytes)]);
        expect((await other.get(contentHash(bytes))).equals(bytes)).toBe(true);
      }));

    it('DI-025: stores of other places say so by their root', () =>
      withStore(async ({ store, open }) => {
        expect(store.rootUri).toMatch(/^[a-z][a-z0-9+.-]*:\/\//);
        expect((await open()).rootUri).toBe(store.rootUri);
        expect((await open('two')).rootUri === store.rootUri).toBe(false);
      }));
  });
}

interface Bench {
  readonly store: BlobStore;
  readonly open: (key?: string) => Promise<BlobStore>;
  readonly damage: (hash: ContentHash) => Promise<void>;
  /** A file with this text; gives its path. */
  readonly source: (text: string) => string;
}

function sourceFile(directory: string, text: string): string {
  const path = join(directory, 'sources', contentHash(text).slice(7, 23));
  writeFileSync(path, text);
  return path;
}

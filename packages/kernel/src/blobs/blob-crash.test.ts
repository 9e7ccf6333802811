import { spawn, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type ContentHash, contentHash, isContentHash } from '@palisade/contracts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { blobPath } from './blob-layout.ts';
import { type FileBlobStore, fileBlobStore } from './file-blob-store.ts';

const WRITER = fileURLToPath(new URL('../../test/put-blobs.ts', import.meta.url));
const COLLECTOR = fileURLToPath(new URL('../../test/collect-process.ts', import.meta.url));
const canMount =
  process.platform === 'linux' &&
  spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt']).status === 0;

let base: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'palisade-crash-'));
});
afterEach(() => rm(base, { recursive: true, force: true }));

async function everyBlob(store: FileBlobStore): Promise<ContentHash[]> {
  const hashes: ContentHash[] = [];
  for (let after: ContentHash | undefined; ; ) {
    const page: Awaited<ReturnType<FileBlobStore['list']>> = await store.list(
      after === undefined ? { limit: 100 } : { limit: 100, after },
    );
    hashes.push(...page.hashes);
    if (page.next === null) return hashes;
    after = page.next;
  }
}

it('DI-028: after SIGKILL in the middle of puts every blob in sight is whole and every acknowledged one is there', async () => {
  const root = join(base, 'blobs');
  let acknowledged = 0;
  for (let round = 0; round < 4; round++) {
    const child = spawn(process.execPath, [WRITER, root, '3000000'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const hashes: ContentHash[] = [];
    const exited = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
    for await (const line of createInterface({ input: child.stdout })) {
      if (isContentHash(line)) hashes.push(line);
      // The kill falls somewhere in the writes that are under way.
      if (hashes.length === 5 + round) child.kill('SIGKILL');
    }
    expect(await exited).toBe('SIGKILL');
    acknowledged += hashes.length;
    const store = fileBlobStore(root);
    const seen = await everyBlob(store);
    for (const hash of seen) expect((await store.get(hash)).length).toBeGreaterThanOrEqual(0);
    for (const hash of hashes) expect(seen).toContain(hash);
    await store.put(Buffer.from(`round ${round}`));
    expect(await readdir(join(root, 'tmp')), 'temp files of the killed writer').toEqual([]);
  }
  expect(acknowledged).toBeGreaterThan(20);
});

it('DI-030: puts of equal content race collections of another process, also ones that are killed, and never lose it', async () => {
  const root = join(base, 'blobs');
  const store = fileBlobStore(root);
  const hour = 3_600_000;
  await store.put(Buffer.from('makes the directories'));
  let collected = 0;
  for (const isKilled of [true, false]) {
    const child = spawn(process.execPath, [COLLECTOR, root, String(hour)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe('ready');
    for (let round = 0; round < 300; round++) {
      const { hash } = await store.put(Buffer.from(`contended ${round % 3}`));
      const longAgo = new Date(Date.now() - 3 * hour);
      await utimes(blobPath(root, hash), longAgo, longAgo).catch(() => {});
      if (round % 2 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      await store.put(Buffer.from(`contended ${round % 3}`));
      expect((await store.get(hash)).toString()).toBe(`contended ${round % 3}`);
    }
    if (isKilled) child.kill('SIGKILL');
    else {
      child.stdin.end();
      collected = Number((await lines.next()).value);
    }
    await new Promise((resolve) => child.once('exit', resolve));
  }
  // It did remove some of them in between.
  expect(collected).toBeGreaterThan(0);
  await store.collect(new Set());
  expect(await readdir(join(root, 'trash'))).toEqual([]);
  for (const n of [0, 1, 2]) expect(await store.has(contentHash(`contended ${n}`))).toBe(true);
});

it.skipIf(!canMount)(
  'a full disk is storage_full, leaves nothing half-written, and is survived',
  async () => {
    const root = join(base, 'small');
    await mkdir(root);
    const check = `
    import { readdirSync } from 'node:fs';
    const { fileBlobStore } = await import(${JSON.stringify(new URL('./file-blob-store.ts', import.meta.url))});
    const { fileNamedFiles } = await import(${JSON.stringify(new URL('./named-files.ts', import.meta.url))});
    const root = ${JSON.stringify(root)};
    const store = fileBlobStore(root), named = fileNamedFiles(root + '/named');
    const { hashes } = await store.list({ limit: 1000 });
    for (const hash of hashes) await store.get(hash);
    // The writer may have left less than a page: room for the small file that must survive.
    await store.remove(hashes.at(-1));
    await named.write('checkpoint', Buffer.from('old'));
    const code = (promise) => promise.then(() => 'done', (error) => error.code);
    const full = await code(store.put(Buffer.alloc(4_000_000, 7)));
    const fullNamed = await code(named.write('checkpoint', Buffer.alloc(4_000_000, 7)));
    await store.remove(hashes[0]);
    const after = await code(store.put(Buffer.alloc(1000, 8)));
    console.log(JSON.stringify({ blobs: hashes.length, full, fullNamed, after,
      kept: (await named.read('checkpoint')).toString(), temp: readdirSync(root + '/tmp') }));
  `;
    const script =
      'mount -t tmpfs -o size=3m tmpfs "$1" && "$2" "$3" "$1" 300000 && "$2" --input-type=module -e "$4"';
    const result = spawnSync(
      'unshare',
      ['-rm', 'sh', '-c', script, 'sh', root, process.execPath, WRITER, check],
      { encoding: 'utf8' },
    );
    expect(result.stderr).toBe('');
    const lines = result.stdout.trim().split('\n');
    expect(lines.at(-2)).toBe('storage_full');
    const report = JSON.parse(lines.at(-1) ?? '') as { blobs: number };
    expect(report).toMatchObject({
      full: 'storage_full',
      fullNamed: 'storage_full',
      after: 'done',
      kept: 'old',
      temp: [],
    });
    expect(report.blobs).toBeGreaterThanOrEqual(lines.length - 2);
  },
);

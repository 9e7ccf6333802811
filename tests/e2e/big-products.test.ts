import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, closeSync, existsSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { contentHash, getArtifact, type ItemView, submitPlan } from '@palisade/contracts';
import type { ControlPlane } from '@palisade/server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  blobsOf,
  CLI,
  ended,
  git,
  makeRepository,
  openAt,
  palisade,
  removeInstallation,
  startEngine,
  verified,
} from '../support/installation.ts';

let root = '';
let plane: ControlPlane;
beforeEach(async () => {
  root = makeRepository({ 'a.txt': 'zero\n', 'odd.txt': 'first\r\nsecond\r\n' });
  plane = await openAt(root);
});
afterEach(async () => {
  await plane.close();
  removeInstallation(root);
});

async function run(id: string, items: readonly object[]): Promise<Record<string, ItemView>> {
  await plane.call(submitPlan, { plan: { items }, run_id: id, repository: root });
  await startEngine(plane);
  const { items: ends } = await ended(plane, id);
  expect(ends.map((item) => [item.id, item.state, item.reason])).toEqual(
    ends.map((item) => [item.id, 'done', undefined]),
  );
  expect((await verified(plane, id)).report.intact).toBe(true);
  return Object.fromEntries(ends.map((item) => [item.id, item]));
}

const hashOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

/** What a command writes into a pipe, as bytes. */
function piped(...args: string[]): Buffer {
  const { stdout, status, stderr } = spawnSync(process.execPath, [CLI, ...args], {
    cwd: root,
    env: process.env,
    maxBuffer: 1 << 29,
  });
  expect(status, stderr.toString()).toBe(0);
  return stdout;
}

/** Joins the parts of a product as any caller of the operation would. */
async function whole(ref: `sha256:${string}`): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const part: { base64: string; next_offset?: number | undefined } = await plane.call(getArtifact, {
      ref,
      offset,
      limit: 1_000_000,
    });
    parts.push(Buffer.from(part.base64, 'base64'));
    offset = part.next_offset;
  }
  return Buffer.concat(parts);
}

function refOf(item: ItemView | undefined): `sha256:${string}` {
  const ref = item?.product?.result_ref;
  if (ref === undefined) throw new Error('there is no patch');
  return ref;
}

describe('big products', { timeout: 300_000 }, () => {
  it('DI-115 DI-020: a patch above 64 MiB is handed on, applied, taken back and downloaded whole, and refused when a byte of it is damaged', async () => {
    const ends = await run('big', [
      {
        id: 'make',
        command: 'head -c 53000000 /dev/urandom > big.bin; mkdir outputs; cp big.bin outputs/big.bin',
      },
      {
        id: 'use',
        command: 'mkdir outputs; sha256sum big.bin | cut -c 1-64 > outputs/hash; echo used > used.txt',
        needs: { base: { from: 'make', select: { kind: 'patch' }, apply: true } },
      },
    ]);
    const ref = refOf(ends['make']);
    expect(ends['make']?.product?.patch?.bytes).toBeGreaterThan(64 * 1024 * 1024);

    const before = git(root, 'status', '--porcelain');
    const applied = await palisade(root, ['apply', 'big']);
    expect(applied.code, applied.stderr).toBe(0);
    const hash = hashOf(join(root, 'big.bin'));
    expect(piped('artifact', 'get', 'big/use:hash').toString().trim()).toBe(hash);
    const reverted = await palisade(root, ['apply', 'big', '--revert']);
    expect(reverted.code, reverted.stderr).toBe(0);
    expect(git(root, 'status', '--porcelain')).toBe(before);
    expect(existsSync(join(root, 'big.bin'))).toBe(false);

    const saved = await palisade(root, ['artifact', 'get', 'big/make', '-o', '.palisade/saved.patch']);
    expect(saved.code, saved.stderr).toBe(0);
    expect(`sha256:${hashOf(join(root, '.palisade/saved.patch'))}`).toBe(ref);
    expect(
      createHash('sha256')
        .update(piped('artifact', 'get', 'big/make:big.bin'))
        .digest('hex'),
    ).toBe(hash);
    expect(contentHash(piped('diff', 'big', '--item', 'make', '--raw'))).toBe(ref);
    const shown = await palisade(root, ['diff', 'big', '--item', 'make', '--stat']);
    expect(shown.stdout).toContain('A big.bin  binary');

    const hex = ref.slice(7);
    const stored = join(blobsOf(root), hex.slice(0, 2), hex.slice(2, 4), hex);
    chmodSync(stored, 0o600);
    const file = openSync(stored, 'r+');
    writeSync(file, '~', 40_000_000);
    closeSync(file);
    for (const args of [
      ['apply', 'big', '--item', 'make'],
      ['artifact', 'get', ref, '-o', 'out.patch'],
      ['artifact', 'get', ref],
      ['diff', 'big', '--raw'],
    ]) {
      const refused = await palisade(root, args);
      expect([refused.code, refused.stdout.length], args.join(' ')).toEqual([1, 0]);
      expect(refused.stderr).toContain('integrity_mismatch');
    }
    expect(git(root, 'status', '--porcelain')).toBe(before);
    expect(existsSync(join(root, 'out.patch'))).toBe(false);
  });

  it('DI-116 DI-166 DI-250: an output is handed on also when the names of all outputs do not fit in the record', async () => {
    const names = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(230)).join('/');
    const last = `355/${names}/f`;
    const ends = await run('many', [
      {
        id: 'make',
        command: `for i in $(seq 100 355); do mkdir -p "outputs/$i/${names}"; echo "output $i" > "outputs/$i/${names}/f"; done`,
      },
      {
        id: 'use',
        command: 'cp inputs/last got.txt',
        needs: { last: { from: 'make', select: { kind: 'output', path: last } } },
      },
    ]);
    const outputs = ends['make']?.product?.outputs ?? [];
    expect(outputs.length).toBeLessThan(256);
    expect(outputs.map(({ path }) => path)).toEqual(
      expect.arrayContaining([`100/${names}/f`, last, 'outputs.json']),
    );
    expect(piped('diff', 'many', '--raw').toString()).toContain('+output 355');
    expect(
      (await verified(plane, 'many')).report.checks.find(({ name }) => name === 'handoff'),
    ).toMatchObject({
      ok: true,
    });
  });

  it('FF-016: a patch with odd line ends, blanks, a form feed and no last newline is the same bytes through every door, and each of them applies', async () => {
    const odd = 'first \t\r\nform\ffeed\rlone  \nno newline at the end \t';
    const ends = await run('odd', [
      {
        id: 'a',
        command: String.raw`printf 'first \t\r\nform\ffeed\rlone  \nno newline at the end \t' > odd.txt`,
      },
    ]);
    const ref = refOf(ends['a']);
    const json = JSON.parse(piped('artifact', 'get', 'odd/a', '--json').toString()) as { base64: string };
    const doors = {
      operation: await whole(ref),
      pipe: piped('artifact', 'get', 'odd/a'),
      json: Buffer.from(json.base64, 'base64'),
      diff: piped('diff', 'odd', '--raw'),
    };
    for (const [door, bytes] of Object.entries(doors)) {
      expect(contentHash(bytes), door).toBe(ref);
      const patch = join(root, '.palisade/door.patch');
      writeFileSync(patch, bytes);
      execFileSync('git', ['apply', patch], { cwd: root });
      expect(readFileSync(join(root, 'odd.txt'), 'latin1'), door).toBe(odd);
      git(root, 'checkout', '-q', 'odd.txt');
    }
    const applied = await palisade(root, ['apply', 'odd']);
    expect(applied.code, applied.stderr).toBe(0);
    expect(readFileSync(join(root, 'odd.txt'), 'latin1')).toBe(odd);
  });
});

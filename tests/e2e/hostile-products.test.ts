import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getArtifact, getRun, type ItemView, submitPlan } from '@palisade/contracts';
import type { ControlPlane } from '@palisade/server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  attemptsOf,
  ended,
  git,
  makeRepository,
  openAt,
  palisade,
  removeInstallation,
  startEngine,
  until,
  verified,
} from '../support/installation.ts';

let root = '';
let plane: ControlPlane;
beforeEach(async () => {
  root = makeRepository({ 'a.txt': 'zero\n' });
  plane = await openAt(root);
});
afterEach(async () => {
  await plane.close();
  removeInstallation(root);
});

async function run(items: readonly object[], sandbox = 'bubblewrap'): Promise<Record<string, ItemView>> {
  await plane.call(submitPlan, {
    plan: { items: items.map((item) => ({ retry: { max_attempts: 1 }, ...item })) },
    run_id: 'hostile',
    repository: root,
    sandbox,
  });
  await startEngine(plane);
  const { items: ends } = await ended(plane, 'hostile');
  expect((await verified(plane, 'hostile')).report.intact).toBe(true);
  await until('the attempts to be removed', async () => attemptsOf(root).length === 0);
  return Object.fromEntries(ends.map((item) => [item.id, item]));
}

async function bytesOf(ref: `sha256:${string}` | undefined): Promise<Buffer> {
  if (ref === undefined) throw new Error('there is no product');
  return Buffer.from((await plane.call(getArtifact, { ref })).base64, 'base64');
}

describe('hostile products', { timeout: 120_000 }, () => {
  it('DI-116: links in the place of outputs, of files and of folders lead nowhere', async () => {
    const ends = await run([
      { id: 'folder', command: 'rm -rf outputs; ln -s /etc outputs' },
      {
        id: 'files',
        command:
          'mkdir -p outputs/d; ln -s /etc/passwd outputs/p; ln -s / outputs/root; ln -s ../../../.. outputs/d/up; mkfifo outputs/pipe; echo real > outputs/real.txt',
      },
      {
        id: 'hard',
        command: 'mkdir -p outputs; ln /etc/passwd outputs/hard 2>/dev/null; echo x > outputs/x',
      },
      {
        id: 'state',
        command: 'rm -rf .palisade; ln -s /etc .palisade; mkdir -p outputs; echo y > outputs/y',
      },
      {
        id: 'summary',
        command: 'ln -s /etc/passwd .palisade/summary.md; ln -s /etc/passwd .palisade/usage.json',
      },
    ]);
    const outputs = (id: string) => (ends[id]?.product?.outputs ?? []).map((output) => output.path);
    expect(outputs('folder')).toEqual([]);
    expect(outputs('files')).toEqual(['real.txt']);
    expect(outputs('hard')).toEqual(['x']);
    expect(ends['summary']?.product?.summary ?? '').not.toContain('root:');
    const passwd = readFileSync('/etc/passwd', 'utf8').split('\n')[0] ?? 'root:';
    for (const id of ['folder', 'files', 'hard', 'state', 'summary']) {
      const item = ends[id];
      expect(['done', 'failed']).toContain(item?.state);
      for (const ref of [item?.product?.result_ref, ...(item?.product?.outputs ?? []).map((o) => o.ref)])
        if (ref !== undefined) expect((await bytesOf(ref)).toString('latin1')).not.toContain(passwd);
    }
  });

  it('DI-116: files and folders that are exchanged by links while they are captured', async () => {
    // In the process sandbox a daemon might live on; what it exchanges during the capture never leaves the workspace.
    const secret = join(root, '.palisade/host-secret');
    writeFileSync(secret, 'host-only-content');
    const race = `mkdir -p outputs real; i=0; while [ $i -lt 40 ]; do head -c 200000 /dev/zero > outputs/f$i; i=$((i+1)); done
      setsid sh -c 'while :; do for f in outputs/f1 outputs/f2 outputs/f39 tracked; do ln -sfn ${secret} $f; rm -f $f; echo data > $f; done; mv outputs o2; ln -sfn ${join(root, '.palisade')} outputs; rm -f outputs; mv o2 outputs; done' >/dev/null 2>&1 &
      sleep 0.3`;
    const ends = await run([{ id: 'a', command: race }], 'process');
    const product = ends['a']?.product;
    for (const ref of [product?.result_ref, ...(product?.outputs ?? []).map((output) => output.ref)])
      if (ref !== undefined)
        expect((await bytesOf(ref)).toString('latin1')).not.toContain('host-only-content');
  });

  it('DI-116 DI-078: huge, binary and endless output is bounded and said', async () => {
    const ends = await run([
      {
        id: 'huge',
        command:
          'mkdir -p outputs; head -c 209715200 /dev/zero > outputs/huge.bin; echo small > outputs/small.txt',
      },
      {
        id: 'binary',
        command: 'mkdir -p outputs; head -c 3000000 /dev/urandom > outputs/r.bin; cp outputs/r.bin r.bin',
      },
      { id: 'many', command: 'mkdir -p outputs; for i in $(seq 1 400); do echo $i > outputs/$i; done' },
      { id: 'line', command: 'head -c 5242880 /dev/zero | tr "\\0" x; echo; echo after' },
      { id: 'flood', command: 'yes flood | head -c 100000000; echo end' },
      {
        id: 'wished',
        command:
          'head -c 3000000 /dev/zero | tr "\\0" y; yes flood | head -c 5000000; echo "why it failed" >&2',
        sandbox: { output_mb: 1 },
      },
      { id: 'bytes', command: String.raw`printf '\377\376\000\033[2J\r\n\302\n'; echo ok` },
    ]);
    expect(Object.values(ends).map((item) => [item.id, item.state])).toEqual(
      ['huge', 'binary', 'many', 'line', 'flood', 'wished', 'bytes'].map((id) => [id, 'done']),
    );
    expect(ends['huge']?.product?.outputs?.map((output) => output.path)).toEqual(['small.txt']);
    const [output] = ends['binary']?.product?.outputs ?? [];
    expect((await bytesOf(output?.ref)).length).toBe(3_000_000);
    git(root, 'checkout', '-q', '-b', 'try');
    writeFileSync(join(root, '.palisade/binary.patch'), await bytesOf(ends['binary']?.product?.result_ref));
    git(root, 'apply', '.palisade/binary.patch');
    expect(readFileSync(join(root, 'r.bin')).equals(await bytesOf(output?.ref))).toBe(true);
    expect(ends['many']?.product?.outputs).toHaveLength(256);
    const warnings = JSON.stringify([ends['huge']?.product, ends['many']?.product]);
    expect(warnings).toMatch(/huge\.bin/);
    const line = await palisade(root, ['logs', 'hostile/line']);
    expect(line.stdout.includes('x'.repeat(5_242_880))).toBe(true);
    expect(line.stdout.includes('\nafter\n')).toBe(true);
    const flood = await palisade(root, ['logs', 'hostile/flood']);
    expect(flood.stdout.length).toBeLessThan(80 * 1024 * 1024);
    const wished = await palisade(root, ['logs', 'hostile/wished']);
    expect(wished.stdout.length).toBeLessThan(1_100_000);
    expect(wished.stdout).toMatch(/y{1000} \[\d+ characters cut\]\n/);
    expect(wished.stdout).toContain('warning: what is kept of stdout ends here, at 1048576 bytes');
    expect(wished.stdout).toContain('why it failed\n');
    expect(ends['wished']?.product?.warnings?.join()).toMatch(/\d{7} bytes of stdout were dropped/);
    const bytes = await palisade(root, ['logs', 'hostile/bytes']);
    // oxlint-disable-next-line no-control-regex
    expect(bytes.stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f]/);
    expect(bytes.stdout).toContain('ok');
  });

  it('DI-116: names with line breaks, quotes, controls and bytes that are no UTF-8 come back exactly', async () => {
    const command = String.raw`mkdir -p outputs
      for dir in . outputs; do
        printf one > "$dir/$(printf 'new\nline')"; printf two > "$dir/quote\"'\\back"
        printf three > "$dir/$(printf 'esc\033[31m')"; printf four > "$dir/$(printf 'bad\377\376utf')"
        printf five > "$dir/ spaces  and ünï–日本語 "; printf six > "$dir/-rf"
      done`;
    const ends = await run([
      { id: 'a', command },
      {
        id: 'b',
        command: 'cat ./-rf > seen; ls -A | wc -l > count',
        needs: { base: { from: 'a', select: { kind: 'patch' }, apply: true } },
      },
    ]);
    expect(ends['a']).toMatchObject({ state: 'done' });
    expect(ends['b']).toMatchObject({ state: 'done' });
    expect(ends['a']?.product?.outputs).toHaveLength(6);
    const shown = await palisade(root, ['diff', 'hostile']);
    // oxlint-disable-next-line no-control-regex
    expect(shown.stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f]/);
    const applied = await palisade(root, ['apply', 'hostile', '--yes']);
    expect(applied.code, applied.stderr).toBe(0);
    const names = readdirSync(Buffer.from(root), { encoding: 'buffer' }).map((name) =>
      name.toString('latin1'),
    );
    expect(names).toContain('bad\xff\xfeutf');
    expect(names).toContain('new\nline');
    expect(readFileSync(join(root, 'seen'), 'utf8')).toBe('six');
    expect(git(root, 'status', '--porcelain', '-z').split('\0').filter(Boolean)).toHaveLength(8);
    mkdirSync(join(root, 'sub'));
    const reverted = await palisade(join(root, 'sub'), ['apply', 'hostile', '--revert']);
    expect(reverted.code, reverted.stderr).toBe(0);
    expect(git(root, 'status', '--porcelain')).toBe('');
    expect((await plane.call(getRun, { run: 'hostile' })).run.state).toBe('completed');
  });
});

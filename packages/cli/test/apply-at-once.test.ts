import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentHash } from '@palisade/contracts';
import { expect, it } from 'vitest';
import { withApplyLock } from '../src/products/apply-lock.ts';
import { Recording } from './double/record.ts';
import { ENTRY, Place } from './place.ts';

const ITEMS = ['i1', 'i2', 'i3', 'i4', 'i5', 'i6'];
const LINES = Array.from({ length: 40 }, (_, line) => `line ${line}\n`);

/** A repository, and a run whose items changed one line each: of a file of their own, or all of the same one. */
function repository(shared: boolean): Place {
  const recording = new Recording('run_p', 'patches');
  for (const item of ITEMS) recording.item(item);
  for (const item of ITEMS) recording.started(item).reconciled(item, 'done');
  const files = new Map<string, string>();
  const blobs: Record<string, string> = {};
  const products = ITEMS.map((item, index) => {
    const name = shared ? 'shared.txt' : `${item}.txt`;
    const at = shared ? 3 + index * 6 : 3;
    files.set(name, LINES.join(''));
    const context = (from: number): string =>
      LINES.slice(from, from + 3)
        .map((line) => ` ${line}`)
        .join('');
    const head = `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n@@ -${at - 2},7 +${at - 2},7 @@\n`;
    const patch = `${head}${context(at - 3)}-line ${at}\n+changed by ${item}\n${context(at + 1)}`;
    const ref = contentHash(patch);
    blobs[ref] = Buffer.from(patch).toString('base64');
    return { item, state: 'done', result_ref: ref, outputs: [], base_patches: [] };
  });
  const place = new Place({ runs: [recording.completed('completed').build({ products })], blobs });
  for (const [name, text] of files) writeFileSync(join(place.directory, name), text);
  const git = (...args: string[]): void => {
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], {
      cwd: place.directory,
      stdio: 'pipe',
      env: place.env(),
    });
  };
  git('init', '--quiet');
  git('add', ...files.keys());
  git('commit', '--quiet', '-m', 'start');
  return place;
}

/** The command in a process of its own. */
function started(place: Place, ...args: string[]): Promise<{ code: number | null; stderr: string }> {
  const child = spawn(process.execPath, [ENTRY, ...args], { cwd: place.directory, env: place.env() });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdout.resume();
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stderr })));
}

const changed = (place: Place): string =>
  execFileSync('git', ['diff', '--unified=0'], { cwd: place.directory, env: place.env(), encoding: 'utf8' });

for (const shared of [false, true]) {
  it(`FF-032: items applied at once ${shared ? 'in one file' : 'in files of their own'} are all there, and all taken back`, async () => {
    using place = repository(shared);
    const all = await Promise.all(
      ITEMS.map((item) => started(place, 'apply', 'run_p', '--item', item, '--yes')),
    );
    expect(all.map(({ code, stderr }) => (code === 0 ? 0 : stderr))).toEqual(ITEMS.map(() => 0));
    for (const item of ITEMS) expect(changed(place)).toContain(`+changed by ${item}\n`);
    const record = readFileSync(join(place.directory, '.palisade/applied/run_p.json'), 'utf8');
    const { steps } = JSON.parse(record) as { steps: { items: string[] }[] };
    expect(steps.flatMap((step) => step.items).toSorted()).toEqual(ITEMS);
    const reverted = await Promise.all([1, 2].map(() => started(place, 'apply', 'run_p', '--revert')));
    expect(reverted.map(({ code }) => code).toSorted()).toEqual([0, 2]);
    expect(changed(place)).toBe('');
  }, 120_000);
}

it('waits for another apply only so long, then says busy with 7, and a killed one holds nothing', async () => {
  using place = repository(false);
  const never = new AbortController().signal;
  const lock = new URL('../src/products/apply-lock.ts', import.meta.url).href;
  const script = `const { withApplyLock } = await import(${JSON.stringify(lock)});
    await withApplyLock(process.argv[1], new AbortController().signal, async () => {
      console.log('held');
      await new Promise((resolve) => setTimeout(resolve, 600_000));
    });`;
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script, place.directory]);
  await new Promise((resolve) => holder.stdout.once('data', resolve));
  const attempt = () => withApplyLock(place.directory, never, async () => 'mine', 200);
  await expect(attempt()).rejects.toMatchObject({ code: 'lease_held', facts: { exit: 7 } });
  const leaving = new AbortController();
  const left = withApplyLock(place.directory, leaving.signal, async () => 'mine');
  leaving.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  holder.kill('SIGKILL');
  await new Promise((resolve) => holder.once('close', resolve));
  expect(await attempt()).toBe('mine');
}, 60_000);

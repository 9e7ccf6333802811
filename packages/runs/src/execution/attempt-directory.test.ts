import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { AttemptDirectory } from './attempt-directory.ts';

const GIVE_UP = fileURLToPath(new URL('../../test/give-up.ts', import.meta.url));

function scratch(): string {
  const base = mkdtempSync(join(tmpdir(), 'palisade-attempts-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  return join(base, 'attempts');
}

/** A process that gives an attempt up; with `limit` the system kills it as soon as it writes a byte to a file. */
function giveUpElsewhere(root: string, limit: 'unlimited' | '0') {
  return spawnSync(
    'bash',
    ['-c', 'ulimit -c 0; ulimit -f "$0"; exec "$@"', limit, process.execPath, GIVE_UP, root, 'att_1'],
    { encoding: 'utf8' },
  );
}

test('DI-177: an engine that dies while it gives an attempt up leaves no half claim', async () => {
  const root = scratch();
  expect(giveUpElsewhere(root, '0')).toMatchObject({ stdout: '' });
  expect(existsSync(join(root, 'att_1'))).toBe(true);
  expect(existsSync(join(root, 'att_1', 'claim.json'))).toBe(false);
  // The next one decides at once and leaves nothing but its claim.
  expect(giveUpElsewhere(root, 'unlimited')).toMatchObject({ stdout: 'true', status: 0 });
  expect(await new AttemptDirectory(root, 'att_1').claim()).toEqual({ by: 'engine' });
});

test('DI-177: giving up is decided once: again it is true, after a worker it is false, and no draft stays', async () => {
  const root = scratch();
  const mine = new AttemptDirectory(root, 'att_1');
  expect(await Promise.all([mine.giveUp(), mine.giveUp(), mine.giveUp()])).toEqual([true, true, true]);
  expect(readdirSync(mine.path)).toEqual(['claim.json']);
  const theirs = new AttemptDirectory(root, 'att_2');
  mkdirSync(theirs.path);
  const claim = { by: 'worker', process: 'somebody' };
  writeFileSync(join(theirs.path, 'claim.json'), JSON.stringify(claim));
  expect(await theirs.giveUp()).toBe(false);
  expect(readdirSync(theirs.path)).toEqual(['claim.json']);
});

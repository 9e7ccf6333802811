import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { userName } from './user-name.ts';

it('is what the system calls the user', () => {
  expect(userName()).toBe(userInfo().username);
});

it.skipIf(process.getuid?.() !== 0)('is a number for whom the system has no name, as in a container', () => {
  const directory = mkdtempSync(join(tmpdir(), 'palisade-user-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  chmodSync(directory, 0o755);
  copyFileSync(new URL('user-name.ts', import.meta.url), join(directory, 'user-name.mts'));
  const script = "import('./user-name.mts').then(({ userName }) => console.log(userName()))";
  const options = { cwd: directory, uid: 64_999, gid: 64_999, env: {}, encoding: 'utf8' } as const;
  expect(execFileSync(process.execPath, ['-e', script], options)).toBe('uid-64999\n');
});

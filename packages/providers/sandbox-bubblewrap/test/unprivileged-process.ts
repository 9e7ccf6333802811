import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { limits } from '@palisade/contracts';
import { bubblewrapSandboxes } from '../src/index.ts';

// A supervisor without root whose program closes directories to their owner. Prints what is left afterwards, as JSON.
const directory = mkdtempSync(join(tmpdir(), 'palisade-unprivileged-'));
const [workspaceDir, stateDir] = [join(directory, 'workspace'), join(directory, 'state')];
mkdirSync(workspaceDir);
const sandbox = await bubblewrapSandboxes().allocate({
  attemptId: `unprivileged-${process.pid}`,
  workspaceDir,
  stateDir,
  readOnlyPaths: [],
  network: false,
  limits,
});
const script =
  'mkdir -p /tmp/a/b /tmp/c && ln -s / /tmp/a/up && touch /tmp/a/b/x && chmod 0 /tmp/a/b /tmp/c && chmod 500 /tmp/a';
const { exitCode } = await sandbox.exec({
  argv: ['/bin/sh', '-c', script],
  env: { PATH: '/usr/bin:/bin' },
  timeoutMs: 20_000,
  graceMs: 0,
});
await sandbox.destroy();
process.stdout.write(JSON.stringify({ exitCode, left: readdirSync(stateDir) }));
rmSync(directory, { recursive: true, force: true });

import { spawn, spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { limits, type SandboxProvider } from '@palisade/contracts';
import { bubblewrapSandboxes } from '@palisade/sandbox-bubblewrap';
import { buildCliPackage } from '../../scripts/build/cli-package.ts';
import { rawSpawns } from './floors.ts';
import { percentile, report, skip } from './report.ts';

/** What a program costs in the bubblewrap sandbox beyond a bare spawn, and what an idle control plane costs. */
export async function benchProcesses(directory: string, short: boolean): Promise<void> {
  const provider = bubblewrapSandboxes();
  const probe = await provider.probe();
  if (probe.available) {
    const runs = short ? 10 : 40;
    const inside = await sandboxed(provider, directory, runs);
    const bare = percentile(await rawSpawns(runs), 0.5);
    report('sandbox.bubblewrap.overhead_ms', percentile(inside, 0.5) - bare, 'ms', 'lower', bare, '< 30');
  } else {
    skip('sandbox.bubblewrap.overhead_ms', probe.reason);
  }
  const home = join(directory, 'package');
  await buildCliPackage(home);
  await idleMemory(home, join(directory, 'warm-up'));
  report('memory.idle_mb', await idleMemory(home, join(directory, 'idle')), 'MB', 'lower', null, '< 120');
}

async function sandboxed(provider: SandboxProvider, directory: string, runs: number): Promise<number[]> {
  const workspaceDir = join(directory, 'workspace');
  const stateDir = join(directory, 'state');
  mkdirSync(workspaceDir);
  mkdirSync(stateDir);
  const sandbox = await provider.allocate({
    attemptId: 'bench',
    workspaceDir,
    stateDir,
    readOnlyPaths: [],
    network: false,
    limits: {
      memoryBytes: limits.memoryBytes,
      processes: limits.processes,
      fileBytes: limits.fileBytes,
      stdoutBytes: limits.stdoutBytes,
      stderrBytes: limits.stderrBytes,
    },
  });
  const times: number[] = [];
  for (let i = 0; i < runs; i++) {
    const start = performance.now();
    const result = await sandbox.exec({
      argv: ['/bin/true'],
      // As a worker does.
      env: { PATH: '/usr/bin:/bin', PWD: sandbox.workspacePath },
      timeoutMs: 10_000,
      graceMs: 1_000,
    });
    if (result.exitCode !== 0)
      throw new Error(`the sandbox does not run: ${result.detail ?? result.outcome}`);
    times.push(performance.now() - start);
  }
  await sandbox.destroy();
  return times;
}

/** Resident memory of the published engine in the seconds before it leaves because there is nothing to do. */
async function idleMemory(home: string, root: string): Promise<number> {
  mkdirSync(root);
  const env = { ...process.env, NODE_COMPILE_CACHE: join(dirname(root), 'compiled') };
  const options = {
    cwd: root,
    env,
    stdio: ['ignore', 'ignore', 'inherit'] as ['ignore', 'ignore', 'inherit'],
  };
  if (spawnSync(process.execPath, [join(home, 'palisade.mjs'), '-q', 'init'], options).status !== 0)
    throw new Error('palisade init failed');
  const child = spawn(process.execPath, [join(home, 'engine-process.js'), root], options);
  while (globSync(join(root, '.palisade/planes/*/engine.json')).length === 0) await delay(50);
  await delay(1_500);
  const rss = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1_000;
  child.kill('SIGKILL');
  return rss;
}

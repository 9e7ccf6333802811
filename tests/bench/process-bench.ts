import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { limits, type SandboxProvider } from '@palisade/contracts';
import { bubblewrapSandboxes } from '@palisade/sandbox-bubblewrap';
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
  await idleMemory(directory, 'warm-up');
  report('memory.idle_mb', await idleMemory(directory, 'idle'), 'MB', 'lower', null, '< 120');
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

/** Resident memory of a process that holds an open control plane and does nothing, started as ours are: with compiled sources kept. */
async function idleMemory(directory: string, name: string): Promise<number> {
  const root = join(directory, name);
  mkdirSync(root);
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('./idle-control-plane.ts', import.meta.url)), root],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve());
    child.once('exit', (code) => reject(new Error(`the idle control plane ended with ${code}`)));
  });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const rss = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1_000;
  child.kill('SIGKILL');
  return rss;
}

import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { AttemptResult } from '@palisade/contracts';
import { onTestFinished } from 'vitest';

const ENTRY = fileURLToPath(new URL('./worker-entry.ts', import.meta.url));

/** A real worker process of an attempt, as the engine spawns it. */
export interface WorkerProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; signal: string | null; stderr: string }>;
}

export function startWorker(
  attemptDir: string,
  options: { secrets?: Record<string, string> | string; env?: Record<string, string> } = {},
): WorkerProcess {
  const child = spawn(process.execPath, [ENTRY, attemptDir], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: '/nonexistent',
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      ...options.env,
    },
  });
  const pipe = child.stdio[3];
  if (pipe === null || pipe === undefined || !('end' in pipe)) throw new Error('no pipe for the secrets');
  const secrets = options.secrets ?? {};
  pipe.on('error', () => {});
  pipe.end(typeof secrets === 'string' ? secrets : `${JSON.stringify(secrets)}\n`);
  let stderr = '';
  child.stderr?.on('data', (piece: Buffer) => {
    stderr += piece.toString('utf8');
  });
  const ended = new Promise<{ code: number | null; signal: string | null; stderr: string }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, stderr }));
  });
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  });
  return { child, ended };
}

export function resultOf(attemptDir: string): AttemptResult {
  return AttemptResult.parse(JSON.parse(readFileSync(join(attemptDir, 'result.json'), 'utf8')));
}

/** Waits for a fact; fails when it does not come true. */
export async function until<T>(
  what: string,
  look: () => T | undefined | null | false,
  timeoutMs = 30_000,
): Promise<T> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const found = look();
    if (found !== undefined && found !== null && found !== false) return found;
    if (Date.now() > end) throw new Error(`still not so: ${what}`);
    await delay(15);
  }
}

/** Ids of all live processes whose command line holds a marker. */
export function processesWith(marker: string): number[] {
  const found: number[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    try {
      const state = readFileSync(`/proc/${name}/stat`, 'latin1').split(') ')[1]?.[0];
      if (state === 'Z' || state === 'X') continue;
      if (readFileSync(`/proc/${name}/cmdline`, 'latin1').includes(marker)) found.push(Number(name));
    } catch {
      // It ended while we looked.
    }
  }
  return found;
}

/** Every regular file below a directory that holds one of the needles, with the needle. */
export function filesWith(root: string, needles: readonly string[], skip: readonly string[] = []): string[] {
  const found: string[] = [];
  const open = [root];
  for (let dir = open.pop(); dir !== undefined; dir = open.pop()) {
    for (const entry of readdirSync(dir, { withFileTypes: true })) {
      const path = join(dir, entry.name);
      if (skip.includes(path)) continue;
      if (entry.isDirectory()) open.push(path);
      else if (entry.isFile() && statSync(path).size > 0) {
        const bytes = readFileSync(path);
        for (const needle of needles) if (bytes.includes(needle)) found.push(`${path}: ${needle}`);
      }
    }
  }
  return found;
}

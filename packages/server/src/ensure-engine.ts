import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { namedFields, PalisadeError } from '@palisade/contracts';
import { isAlive, type ProcessIdentity } from '@palisade/runs';
import { compileCacheEnvironment } from './compile-cache.ts';
import { type Layout, layoutOf } from './layout.ts';
import { processEntry } from './process-entry.ts';

const START_MS = 30_000;

/**
 * Makes sure that a live engine serves this control plane: starts a detached one, in a session of its
 * own, unless the announced one lives. Two callers at once may start two; they share the runs by lease.
 */
export async function ensureEngine(options: { readonly directory: string }): Promise<void> {
  const layout = layoutOf(options.directory);
  if (!existsSync(layout.home))
    throw new PalisadeError('not_initialized', `there is no control plane in ${options.directory}`, {
      next: 'palisade init',
    });
  if (await engineLives(layout)) return;
  const child = spawn(process.execPath, [processEntry('engine-process'), layout.root], {
    detached: true,
    stdio: 'ignore',
    cwd: layout.root,
    env: { ...process.env, ...compileCacheEnvironment() },
  });
  let failed: string | null = null;
  child.once('error', (error) => {
    failed = namedFields(error);
  });
  child.once('exit', (code, signal) => {
    failed = `it ended at once (${signal ?? `exit ${code}`})`;
  });
  child.unref();
  const until = Date.now() + START_MS;
  while (Date.now() < until) {
    if (await engineLives(layout)) return;
    if (failed !== null) break;
    await delay(20);
  }
  throw new PalisadeError('start_failed', `the engine did not start: ${failed ?? 'no sign of it yet'}`, {
    next: `see ${layout.engineLog}`,
  });
}

/** True while the announced engine process lives. */
export async function engineLives(layout: Layout): Promise<boolean> {
  const text = await readFile(layout.engineFile, 'utf8').catch(() => null);
  if (text === null) return false;
  try {
    return await isAlive(JSON.parse(text) as ProcessIdentity);
  } catch {
    return false;
  }
}

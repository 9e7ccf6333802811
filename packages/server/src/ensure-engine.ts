import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { foreignFault, PalisadeError } from '@palisade/contracts';
import { verdictOn } from '@palisade/process';
import { compileCacheEnvironment } from './compile-cache.ts';
import { announcedEngine } from './engine-sign.ts';
import type { Layout } from './layout.ts';
import { processEntry } from './process-entry.ts';

const START_MS = 30_000;

/** The control plane an engine is to serve. */
export interface Served {
  readonly layout: Layout;
  readonly engineFile: string;
  /** `postgres://…`, or absent for the SQLite file of the layout. */
  readonly databaseUrl: string | undefined;
  /** More of its environment: the operator's settings, where they are not those of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Makes sure that a live engine serves this control plane: starts a detached one, in a session of its
 * own, unless the announced one lives. Two callers at once may start two; they share the runs by lease.
 */
export async function ensureEngine({ layout, engineFile, databaseUrl, env = {} }: Served): Promise<void> {
  if (await engineLives(engineFile)) return;
  const child = spawn(process.execPath, [processEntry('engine-process'), layout.root], {
    detached: true,
    stdio: 'ignore',
    cwd: layout.root,
    env: { ...process.env, ...compileCacheEnvironment(), ...env, PALISADE_DATABASE_URL: databaseUrl },
  });
  let failed: string | null = null;
  child.once('error', (error) => {
    failed = foreignFault(error);
  });
  child.once('exit', (code, signal) => {
    failed = `it ended at once (${signal ?? `exit ${code}`})`;
  });
  child.unref();
  const until = Date.now() + START_MS;
  while (Date.now() < until) {
    if (await engineLives(engineFile)) return;
    if (failed !== null) break;
    await delay(20);
  }
  throw new PalisadeError('start_failed', `the engine did not start: ${failed ?? 'no sign of it yet'}`, {
    next: `see ${layout.engineLog}`,
  });
}

/**
 * True while the announced engine process is known to live. Of one that cannot be judged from here, e.g.
 * in another container, nothing is believed: a second engine does no harm, a run without one waits for ever.
 */
export async function engineLives(engineFile: string): Promise<boolean> {
  const announced = await announcedEngine(engineFile);
  return announced !== null && verdictOn(announced) === 'alive';
}

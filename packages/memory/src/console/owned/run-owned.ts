import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { ConsoleOwned } from '@palisade/contracts';
import { ProcessTree } from '@palisade/process';
import type { MemoryDatabase } from '../../store/memory-database.ts';
import type { Console } from '../console.ts';
import { sessionText } from '../sessions.ts';
import { OwnedLog } from './owned-log.ts';
import {
  HEARTBEAT_MS,
  markEnded,
  markRunning,
  type OwnedEnd,
  type Reservation,
  reserveOwned,
  RUN_VARIABLE,
  showOwned,
} from './owned-rows.ts';

/** The variable in which a command of the console finds the name of its own session. */
export const SESSION_VARIABLE = 'PALISADE_CONSOLE_SESSION';
/** How long output is waited for after the command has ended (L-23). */
const DRAIN_MS = 5_000;
/** What a command gets between the interrupt and the end of everything it started. */
const GRACE_MS = 10_000;

export interface RunOwned extends Omit<Reservation, 'command' | 'log'> {
  readonly command: readonly [string, ...string[]];
  /** Absolute; by default beside the database. */
  readonly log: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the command reads; nothing without. */
  readonly stdin: Readable | undefined;
  /** Every piece of output as it comes. More is read when what it returns has resolved. */
  readonly onOutput: (stream: 'stdout' | 'stderr', piece: Buffer) => Promise<void> | void;
}

/**
 * Runs a command to its end, in a session of its own and with pipes: it has no terminal. What it writes goes to its log.
 * When the console's signal aborts, it is interrupted as {@link interruptOwned} does. Errors: `invalid_state` while a
 * command of the id runs; never for what the command does.
 */
export async function runOwned(console: Console, wish: RunOwned): Promise<ConsoleOwned> {
  const { database, machine } = console;
  const { id, token, command, cwd } = wish;
  const folder = join(dirname(database.path), 'owned');
  if (wish.log === undefined) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = wish.log ?? join(folder, `${id}.log`);
  await reserveOwned(console, { ...wish, log: path });
  let end: OwnedEnd;
  try {
    using log = new OwnedLog(path);
    const [program, ...args] = command;
    const tree = new ProcessTree(token, 0, RUN_VARIABLE);
    const child = spawn(program, args, {
      cwd,
      env: {
        ...wish.env,
        [RUN_VARIABLE]: token,
        [SESSION_VARIABLE]: sessionText({ provider: 'owned', session_id: id, machine }),
      },
      stdio: [wish.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      // The command leads a session and a group, by which an interrupt reaches all of it.
      detached: true,
    });
    if (child.pid !== undefined) {
      tree.add(child.pid, true);
      markRunning(database, token, child.pid);
    }
    end = await attended(child, { database, token, log, tree, signal: console.signal, wish });
  } catch (error) {
    end = failed(error);
  }
  await database.write(() => markEnded(database, token, end, Date.now()));
  return showOwned(console, id);
}

interface Attendance {
  readonly database: MemoryDatabase;
  readonly token: string;
  readonly log: OwnedLog;
  readonly tree: ProcessTree;
  readonly signal: AbortSignal;
  readonly wish: RunOwned;
}

async function attended(child: ChildProcess, attendance: Attendance): Promise<OwnedEnd> {
  const { database, token, log, tree, signal, wish } = attendance;
  const beat = setInterval(() => {
    try {
      database.run('UPDATE owned SET seen_at = ? WHERE token = ?', Date.now(), token);
    } catch {
      // Another writer is at it: next time.
    }
  }, HEARTBEAT_MS);
  const exit = Promise.withResolvers<OwnedEnd>();
  child.on('error', (error) => exit.resolve(failed(error)));
  child.on('exit', (exitCode, name) =>
    exit.resolve({ status: 'exited', exitCode, signal: name, failure: null }),
  );
  let isOver = false;
  const over = exit.promise.then(() => {
    isOver = true;
  });
  const read = async (stream: 'stdout' | 'stderr'): Promise<void> => {
    try {
      for await (const piece of child[stream] ?? []) {
        log.write(piece as Buffer);
        const taken = wish.onOutput(stream, piece as Buffer);
        if (!isOver) await Promise.race([taken, over]);
      }
    } catch {
      // The stream was ended from here.
    }
  };
  const drained = Promise.all([read('stdout'), read('stderr')]);
  if (wish.stdin !== undefined && child.stdin !== null) {
    // It may end before it has read everything.
    child.stdin.on('error', () => undefined);
    wish.stdin.pipe(child.stdin);
  }
  const stopping = stopWhen(signal, child, tree, over);
  try {
    const end = await exit.promise;
    await Promise.race([drained, delay(DRAIN_MS, undefined, { ref: false })]);
    await stopping.settled();
    return log.isFull ? { ...end, failure: 'not everything it wrote could be kept' } : end;
  } finally {
    clearInterval(beat);
    if (child.stdin !== null) wish.stdin?.unpipe(child.stdin);
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
    stopping.stop();
  }
}

/** Interrupts the command when the signal aborts, and ends everything it started when that does not help. */
function stopWhen(
  signal: AbortSignal,
  child: ChildProcess,
  tree: ProcessTree,
  over: Promise<void>,
): { stop(): void; settled(): Promise<void> } {
  let stopping: Promise<void> = Promise.resolve();
  const stop = (): void => {
    stopping = (async () => {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
        process.kill(-child.pid, 'SIGINT');
      const isLate = await Promise.race([over.then(() => false), delay(GRACE_MS, true, { ref: false })]);
      if (isLate) await tree.end();
    })().catch(() => undefined);
  };
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  return { stop: () => signal.removeEventListener('abort', stop), settled: () => stopping };
}

function failed(error: unknown): OwnedEnd {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'an unknown fault';
  return { status: 'failed', exitCode: null, signal: null, failure: `could not be started: ${code}` };
}

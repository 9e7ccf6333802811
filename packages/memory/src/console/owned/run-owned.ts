import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type ConsoleOwned, isPalisadeError } from '@palisade/contracts';
import { nameProcess, ProcessTree } from '@palisade/process';
import type { MemoryDatabase } from '../../store/memory-database.ts';
import type { Console } from '../console.ts';
import { sessionText } from '../sessions.ts';
import { OwnedLog, ownedLog } from './owned-log.ts';
import {
  HEARTBEAT_MS,
  markEnded,
  markRunning,
  type OwnedEnd,
  type Reservation,
  RUN_VARIABLE,
  reserveOwned,
  showOwned,
} from './owned-rows.ts';
import { Patience } from './patience.ts';

/** The variable in which a command of the console finds the name of its own session. */
export const SESSION_VARIABLE = 'PALISADE_CONSOLE_SESSION';
/** How long output is waited for after the command has ended (L-23). */
const DRAIN_MS = 5_000;
/** How long after a failure it is tried again to say which process a command is. */
const MARK_MS = 500;
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
  const { database } = console;
  const { id, token } = wish;
  const path = wish.log ?? ownedLog(database, id);
  if (wish.log === undefined) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  await reserveOwned(console, { ...wish, log: path });
  const end = await executed(console, wish, path);
  await database.write(() => markEnded(database, token, end, Date.now()));
  return showOwned(console, id);
}

/** From the moment the command is started, it is attended until it ends: nothing else is an end of it. */
async function executed(console: Console, wish: RunOwned, path: string): Promise<OwnedEnd> {
  const { machine } = console;
  const { id, token, cwd } = wish;
  const [program, ...args] = wish.command;
  let log: OwnedLog;
  try {
    log = new OwnedLog(path);
  } catch (error) {
    return failed(error);
  }
  using _ = log;
  let child: ChildProcess;
  try {
    child = spawn(program, args, {
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
  } catch (error) {
    return failed(error);
  }
  return await attended(child, { database: console.database, token, log, signal: console.signal, wish });
}

interface Attendance {
  readonly database: MemoryDatabase;
  readonly token: string;
  readonly log: OwnedLog;
  readonly signal: AbortSignal;
  readonly wish: RunOwned;
}

async function attended(child: ChildProcess, attendance: Attendance): Promise<OwnedEnd> {
  const { database, token, log, signal, wish } = attendance;
  const tree = new ProcessTree(token, 0, RUN_VARIABLE);
  if (child.pid !== undefined) tree.add(child.pid, true);
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
  const ended = new AbortController();
  const over = exit.promise.then(() => ended.abort());
  const marked = child.pid === undefined ? undefined : marking(database, token, child.pid, ended.signal);
  const read = async (stream: 'stdout' | 'stderr'): Promise<void> => {
    using patience = new Patience(ended.signal);
    try {
      for await (const piece of child[stream] ?? []) {
        log.write(piece as Buffer);
        const taken = wish.onOutput(stream, piece as Buffer);
        if (taken instanceof Promise) await patience.wait(taken);
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
    await marked;
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

/** Says which process the command is, as often as it takes: until then it is known by its mark. */
async function marking(
  database: MemoryDatabase,
  token: string,
  pid: number,
  ended: AbortSignal,
): Promise<void> {
  const child = nameProcess(pid);
  while (!ended.aborted)
    try {
      return await database.write(() => markRunning(database, token, child), ended);
    } catch {
      // Another writes for long, or the disk is full.
      await delay(MARK_MS, undefined, { signal: ended }).catch(() => undefined);
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
  const why = isPalisadeError(error) ? error.message : code;
  return { status: 'failed', exitCode: null, signal: null, failure: `could not be started: ${why}` };
}

import { type ConsoleOwned, PalisadeError } from '@palisade/contracts';
import { listProcesses, ownName, pidNamed, startedWith, type Verdict, verdictOn } from '@palisade/process';
import type { MemoryDatabase } from '../../store/memory-database.ts';
import { keptText } from '../../transcripts/store/kept-text.ts';
import { type Console, missing, textsOf } from '../console.ts';
import { dropOld } from '../retention.ts';
import { sessionRow, sessionText } from '../sessions.ts';

/*
 * Commands that were started here, by id (WM-077).
 *
 *   starting     its runner has taken the id and starts it
 *   running      it was started
 *   exited       it ended, and its runner saw how
 *   failed       it was not started, or its runner ended before it: how it ended is not known
 *
 * Only the runner of the latest run writes, but for `failed`: whoever looks and finds runner and command dead writes
 * that, so that nothing is `running` for ever (D-08). What the runner says of the end replaces it. Of processes that
 * cannot be seen from here nothing is written: they are `unknown`, and shown as `failed` when their runner is silent.
 */

/** Every process of a run has the run's token in this variable. */
export const RUN_VARIABLE = 'PALISADE_CONSOLE_RUN';
/** How often a runner says that it lives, and how long others wait for that where they cannot see it. */
export const HEARTBEAT_MS = 10_000;
const SILENT_MS = 60_000;
/** How long a run that cannot be seen keeps its id after the last sign of life. */
const ABANDONED_MS = 24 * 3_600_000;
/** WM-005. */
const OWNED_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,119}$/;

export interface OwnedRow extends Record<string, null | number | string> {
  readonly id: string;
  readonly machine: string;
  readonly token: string;
  readonly command: string;
  readonly cwd: string;
  readonly log: string;
  readonly is_background: number;
  readonly runner: string;
  readonly child: string | null;
  readonly status: Exclude<ConsoleOwned['status'], 'unknown'>;
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly failure: string | null;
  readonly runs: number;
  readonly started_at: number;
  readonly ended_at: number | null;
  readonly seen_at: number;
}

/** Errors: `invalid_input`. */
export function assertOwnedId(id: string): void {
  if (!OWNED_ID.test(id) || id.includes('..'))
    throw new PalisadeError('invalid_input', `${JSON.stringify(id)} is no usable id`, {
      next: 'use up to 120 letters, digits and . _ -',
    });
}

export interface Reservation {
  readonly id: string;
  readonly token: string;
  readonly command: readonly string[];
  readonly cwd: string;
  readonly log: string;
  readonly isBackground: boolean;
}

/** Takes an id for this process to run; of several at once one gets it. Errors: `invalid_state` while its run before lives. */
export function reserveOwned(console: Console, wish: Reservation): Promise<void> {
  const { database, machine, signal } = console;
  return database.write(() => {
    const { now } = console;
    assertFree(console, wish.id);
    dropOld(database, now);
    sessionRow(database, { provider: 'owned', session_id: wish.id, machine });
    database.run(
      `INSERT INTO owned (id, machine, token, command, cwd, log, is_background, runner, status, runs, started_at, seen_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'starting', 1, ?, ?)
       ON CONFLICT DO UPDATE SET machine = excluded.machine, token = excluded.token, command = excluded.command,
         cwd = excluded.cwd, log = excluded.log, is_background = excluded.is_background, runner = excluded.runner,
         child = NULL, status = 'starting', exit_code = NULL, signal = NULL, failure = NULL, runs = runs + 1,
         started_at = excluded.started_at, ended_at = NULL, seen_at = excluded.seen_at`,
      wish.id,
      machine,
      wish.token,
      JSON.stringify(wish.command.map((word) => keptText(word, 2_000))),
      wish.cwd,
      wish.log,
      wish.isBackground ? 1 : 0,
      ownName(),
      now,
      now,
    );
  }, signal);
}

/** Errors: `invalid_state` while a command of this id runs, or may run elsewhere. */
export function assertFree(console: Console, id: string): void {
  const row = rowOf(console.database, id);
  if (row === undefined) return;
  const { status, ended_at: ended } = settle(console, row);
  if (ended !== null || console.now - row.seen_at > ABANDONED_MS) return;
  throw new PalisadeError(
    'invalid_state',
    `${id} is ${status === 'failed' ? 'perhaps running elsewhere' : status} already`,
    {
      next: `pal console read ${id}`,
    },
  );
}

/** Says which process the command is. */
export function markRunning(database: MemoryDatabase, token: string, child: string | null): void {
  database.run(
    `UPDATE owned SET status = 'running', child = ? WHERE token = ? AND status = 'starting'`,
    child,
    token,
  );
}

export interface OwnedEnd {
  readonly status: 'exited' | 'failed';
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly failure: string | null;
}

/** What the runner says of how its own run ended, whatever others took for the end of it. */
export function markEnded(database: MemoryDatabase, token: string, end: OwnedEnd, now: number): void {
  database.run(
    `UPDATE owned SET status = ?, exit_code = ?, signal = ?, failure = ?, ended_at = ? WHERE token = ?`,
    end.status,
    end.exitCode,
    end.signal,
    end.failure,
    now,
    token,
  );
}

/** Errors: `not_found`. */
export function ownedRow(database: MemoryDatabase, id: string): OwnedRow {
  const row = rowOf(database, id);
  if (row === undefined) throw missing('command of the console with the id', id, 'pal console owned-list');
  return row;
}

function rowOf(database: MemoryDatabase, id: string): OwnedRow | undefined {
  return database.get<OwnedRow>('SELECT * FROM owned WHERE id = ?', id);
}

/** Errors: `not_found`. */
export function showOwned(console: Console, id: string): ConsoleOwned {
  return settle(console, ownedRow(console.database, id));
}

/** The run with this token, as far as it has begun. */
export function ownedOfRun(console: Console, token: string): ConsoleOwned | undefined {
  const row = console.database.get<OwnedRow>('SELECT * FROM owned WHERE token = ?', token);
  return row === undefined ? undefined : settle(console, row);
}

/** Those that run, and with `isEver` the last that ended; the newest first. */
export function listOwned(console: Console, isEver: boolean): readonly ConsoleOwned[] {
  const { database } = console;
  const running = database.all<OwnedRow>(`SELECT * FROM owned WHERE status IN ('starting', 'running')`);
  const ended = isEver
    ? database.all<OwnedRow>(
        `SELECT * FROM owned WHERE status NOT IN ('starting', 'running') ORDER BY started_at DESC, id LIMIT 1000`,
      )
    : [];
  return [...running, ...ended]
    .map((row) => settle(console, row))
    .toSorted((one, other) => other.started_at - one.started_at || (one.id < other.id ? -1 : 1));
}

/** The run as it is now; one that nobody is left of is said to have failed. */
export function settle({ database, now }: Console, row: OwnedRow): ConsoleOwned {
  if (row.status !== 'starting' && row.status !== 'running') return view(row, row.status);
  const life = lifeOf(row);
  if (life === 'alive') return view(row, row.status);
  // It may live all the same: its runner may be stopped, or the clocks differ. So this is not kept.
  if (life === 'unknown')
    return now - row.seen_at <= SILENT_MS
      ? view(row, 'unknown')
      : view(
          { ...row, failure: 'its processes cannot be seen from here, and its runner is silent' },
          'failed',
        );
  // Its runner may have said how it ended in between.
  database.run(
    `UPDATE owned SET status = 'failed', failure = ?, ended_at = ?
     WHERE token = ? AND status IN ('starting', 'running')`,
    'its runner ended before it, so how it ended is not known',
    now,
    row.token,
  );
  const settled = database.get<OwnedRow>('SELECT * FROM owned WHERE id = ?', row.id) ?? row;
  return view(settled, settled.status);
}

function lifeOf({ runner, child, token }: OwnedRow): Verdict {
  const verdicts = [verdictOn(runner), ...(child === null ? [] : [verdictOn(child)])];
  if (verdicts.includes('alive')) return 'alive';
  // A runner that was killed as it started the command had no time to say which process that is.
  if (child === null && verdicts[0] === 'dead' && leaderOf(token) !== undefined) return 'alive';
  return verdicts.includes('unknown') ? 'unknown' : 'dead';
}

/** The pid of the process that leads the group of a run's command; undefined when nothing of the group is left. */
export function groupOf({ child, token }: OwnedRow): number | undefined {
  const pid = child === null ? leaderOf(token) : (pidNamed(child) ?? undefined);
  if (pid === undefined) return undefined;
  const members = listProcesses().filter(({ group }) => group === pid);
  const isLed = child !== null && verdictOn(child) === 'alive' && members.some((each) => each.pid === pid);
  // The leader may have ended before the others: then the token says that the group is the run's, and no stranger's.
  return isLed || members.some((each) => startedWith(each.pid, RUN_VARIABLE, token)) ? pid : undefined;
}

function leaderOf(token: string): number | undefined {
  return listProcesses().find(({ pid, session }) => pid === session && startedWith(pid, RUN_VARIABLE, token))
    ?.pid;
}

function view(row: OwnedRow, status: ConsoleOwned['status']): ConsoleOwned {
  const { id, machine, cwd, log, runner, child, exit_code, signal, failure, runs, started_at, ended_at } =
    row;
  return {
    id,
    session: sessionText({ provider: 'owned', session_id: id, machine }),
    command: textsOf(row.command),
    cwd,
    log,
    is_background: row.is_background === 1,
    runner_pid: pidNamed(runner),
    child_pid: child === null ? null : pidNamed(child),
    status,
    exit_code,
    signal,
    failure,
    runs,
    started_at,
    ended_at,
  };
}

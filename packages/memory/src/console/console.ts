import { createHash } from 'node:crypto';
import { PalisadeError } from '@palisade/contracts';
import type { MemoryDatabase } from '../store/memory-database.ts';
import { openUserDatabase } from '../store/user-database.ts';
import { keptLine, keptText } from '../transcripts/store/kept-text.ts';
import { dropOld } from './retention.ts';
import { type KnownSession, sessionText } from './sessions.ts';
import { CONSOLE_SCHEMA } from './tables.ts';

/** What answers of the console are made of: the user's database and where and when it is asked. */
export interface Console {
  readonly database: MemoryDatabase;
  /** The name of this machine. */
  readonly machine: string;
  /** Unix ms, as the clock is when it is read. */
  readonly now: number;
  readonly signal: AbortSignal;
}

/** Who speaks. */
export interface Party {
  readonly session: KnownSession | undefined;
  /** What it is called in what it asks and decides: a session, or else who asks the command. */
  readonly name: string;
  readonly actor: string;
}

/** The party of a session or person, redacted and bounded. `by` is what it is called now. Errors: `invalid_input`. */
export function partyNamed(session: KnownSession | undefined, actor: string, by?: string): Party {
  const person = line(actor, 'the actor');
  const usual = session === undefined ? person : sessionText(session);
  return { session, actor: person, name: by === undefined ? usual : line(by, 'who it is by') };
}

/** Whether a name is one of the party's, whatever it calls itself now. */
export function isParty({ name, session }: Party, asked: string): boolean {
  return asked === name || (session !== undefined && asked === sessionText(session));
}

/** One change: with the same key, what the first call changed is answered, as it is now. */
export interface Change {
  /** Undefined when nobody can ask again: then nothing is kept of the answer. */
  readonly idempotencyKey: string | undefined;
  /** Says what would be, and keeps nothing. */
  readonly isRehearsal: boolean;
  /** What is asked for: the same key with another request is refused. */
  readonly request: readonly unknown[];
}

export interface OpenConsoleOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What only asks leaves no file where there was none. */
  readonly create?: boolean;
}

/** Opens the database of the console. To be disposed of. Errors: those of `openUserDatabase`. */
export function openConsole({ env, create = false }: OpenConsoleOptions): MemoryDatabase {
  return openUserDatabase(env, CONSOLE_SCHEMA, { create });
}

/** Of an open database, by the clock. */
export function consoleOf(database: MemoryDatabase, machine: string, signal: AbortSignal): Console {
  return {
    database,
    machine,
    signal,
    get now() {
      return Date.now();
    },
  };
}

class Rehearsed extends Error {
  readonly answer: unknown;
  constructor(answer: unknown) {
    super('rehearsed');
    this.answer = answer;
  }
}

/**
 * Makes a change in one transaction of the only writer, so that what it reads is what it decides on, at the time it is
 * made. Errors: `idempotency_mismatch`, `database_busy`, and those of `make`.
 *
 * @param make returns the numbers of the rows that it made or changed, which are kept with the key; undefined when it
 *   changed nothing and may be asked again
 * @param answer of these rows, as they are now
 */
export async function change<T>(
  console: Console,
  { idempotencyKey: key, isRehearsal, request }: Change,
  make: (now: number) => readonly number[] | undefined,
  answer: (rows: readonly number[], now: number) => T,
): Promise<T> {
  const { database, signal } = console;
  // The row of a session may be made by the first of two calls.
  const said = JSON.stringify(request, (name, value: unknown) => (name === 'row' ? undefined : value));
  const asked = createHash('sha256').update(said).digest('hex');
  try {
    return await database.write(() => {
      const { now } = console;
      const before =
        key === undefined
          ? undefined
          : database.get<{ request: string; rows: string }>(
              'SELECT request, rows FROM answers WHERE key = ?',
              key,
            );
      if (before !== undefined) {
        if (before.request === asked) return answer(JSON.parse(before.rows) as number[], now);
        throw new PalisadeError('idempotency_mismatch', 'the key was given with another request');
      }
      const rows = make(now);
      if (isRehearsal) throw new Rehearsed(answer(rows ?? [], now));
      dropOld(database, now);
      if (rows !== undefined && key !== undefined)
        database.run(
          'INSERT INTO answers (key, request, rows, at) VALUES (?, ?, ?, ?)',
          key,
          asked,
          JSON.stringify(rows),
          now,
        );
      return answer(rows ?? [], now);
    }, signal);
  } catch (error) {
    if (error instanceof Rehearsed) return error.answer as T;
    throw error;
  }
}

/** A {@link change} of one row. */
export function changeRow<T>(
  console: Console,
  wish: Change,
  make: (now: number) => number,
  answer: (row: number) => T,
): Promise<T> {
  return change(
    console,
    wish,
    (now) => [make(now)],
    ([row = 0]) => answer(row),
  );
}

const LINE = 500;
const TEXT = 8_000;
const MAX_ENTRIES = 200;

/** One line that an agent wrote, as it is kept. */
export function line(text: string, what: string): string {
  const kept = keptLine(text, LINE);
  if (kept === '') throw new PalisadeError('invalid_input', `${what} is empty`);
  return kept;
}

export function lines(texts: readonly string[], what: string): readonly string[] {
  if (texts.length > MAX_ENTRIES)
    throw new PalisadeError('too_large', `at most ${MAX_ENTRIES} ${what} can be named`);
  return texts.map((text) => keptLine(text, LINE)).filter((text) => text !== '');
}

export function optionalText(text: string | undefined): string | null {
  const kept = keptText(text?.trim() ?? '', TEXT);
  return kept === '' ? null : kept;
}

/** `clm-12` of 12, and back: numbers that are never given twice. */
export function idText(prefix: string, number: number): string {
  return `${prefix}-${number}`;
}

export function idNumber(prefix: string, what: string, written: string): number {
  const [, number] = new RegExp(`^(?:${prefix}-)?([1-9]\\d{0,14})$`).exec(written) ?? [];
  if (number === undefined)
    throw new PalisadeError('invalid_input', `${JSON.stringify(written)} is no id of a ${what}`, {
      next: `name it as ${prefix}-NUMBER`,
    });
  return Number(number);
}

/** What is known by a number of its own. */
export interface Numbered {
  readonly table: 'authority' | 'gates' | 'handoffs' | 'reviews';
  readonly prefix: string;
  readonly what: string;
  /** The command that lists them. */
  readonly list: string;
}

/** Errors: `not_found`. */
export function numberedRow<R extends Record<string, null | number | string>>(
  database: MemoryDatabase,
  { table, prefix, what, list }: Numbered,
  id: number,
): R {
  const row = database.get<R>(`SELECT * FROM ${table} WHERE id = ?`, id);
  if (row === undefined) throw missing(what, idText(prefix, id), list);
  return row;
}

export function missing(what: string, id: string, next: string): PalisadeError {
  return new PalisadeError('not_found', `there is no ${what} ${id}`, { next });
}

export function textsOf(json: unknown): readonly string[] {
  return JSON.parse(String(json)) as string[];
}

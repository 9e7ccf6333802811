import { type ConsoleKey, PalisadeError } from '@palisade/contracts';
import type { MemoryDatabase } from '../store/memory-database.ts';

/*
 * Sessions by (provider, id, machine), written `provider:id@machine` (WM-071). With a provider a session is named whole,
 * and may be one that nobody has heard of: what a session says of itself must never be said of another whose id begins
 * like its own. Without one, any beginning that only one session has will do.
 */

export interface KnownSession extends ConsoleKey {
  /** Of its row; undefined when it has said nothing here. */
  readonly row: number | undefined;
}

/** Candidates that an error about an ambiguous name tells. */
const SHOWN = 5;
const WRITTEN = /^(?:(?<provider>[a-z][a-z0-9-]{0,39}):)?(?<id>[^:@]*)(?:@(?<machine>[^:@]{1,255}))?$/;
/** WM-005, and the slash that side conversations have. */
const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,119}$/;

export function sessionText({ provider, session_id: id, machine }: ConsoleKey): string {
  return `${provider}:${id}@${machine}`;
}

/**
 * The session that is meant, of those in the database and of `others` that are known elsewhere, which are only asked for where a
 * beginning may do. Errors: `invalid_input`,
 * `not_found`, `ambiguous_id` with the candidates in `why`.
 *
 * @param mayBeNew whether a whole name may be of a session that nobody has heard of
 */
export function sessionNamed(
  { database, machine: here }: { readonly database: MemoryDatabase; readonly machine: string },
  written: string,
  others: () => readonly ConsoleKey[],
  mayBeNew: boolean,
): KnownSession {
  const { provider, id = '', machine } = WRITTEN.exec(written)?.groups ?? {};
  if (!SESSION_ID.test(id) || id.includes('..'))
    throw new PalisadeError('invalid_input', `${JSON.stringify(written)} is no name of a session`, {
      next: 'write it as PROVIDER:ID, or a beginning of its id',
    });
  const isWhole = provider !== undefined && mayBeNew;
  const known = knownSessions(database, isWhole ? [] : others()).filter(
    (each) =>
      (provider === undefined || each.provider === provider) &&
      (machine === undefined || each.machine === machine),
  );
  const exact = known.filter(({ session_id: each }) => each === id);
  const found =
    exact.length > 0 || isWhole ? exact : known.filter(({ session_id: each }) => each.startsWith(id));
  const mine = isWhole && machine === undefined ? found.filter((each) => each.machine === here) : found;
  const [only, ...more] = mine;
  if (more.length > 0)
    throw new PalisadeError(
      'ambiguous_id',
      `${mine.length} sessions are meant by ${JSON.stringify(written)}`,
      {
        why: `${mine.slice(0, SHOWN).map(sessionText).join('; ')}${mine.length > SHOWN ? '; …' : ''}`,
        next: 'give more of its id, or all of one of these',
      },
    );
  if (only !== undefined) return only;
  if (isWhole) return { provider, session_id: id, machine: machine ?? here, row: undefined };
  throw new PalisadeError('not_found', `no session is known by ${JSON.stringify(written)}`, {
    next: mayBeNew ? 'name a new one as PROVIDER:ID; pal console list' : 'pal console list',
  });
}

export function knownSessions(
  database: MemoryDatabase,
  others: readonly ConsoleKey[],
): readonly KnownSession[] {
  const all = database.all<{ id: number } & Record<keyof ConsoleKey, string>>('SELECT * FROM sessions');
  const byName = new Map<string, KnownSession>();
  for (const { provider, session_id, machine } of others)
    byName.set(sessionText({ provider, session_id, machine }), {
      provider,
      session_id,
      machine,
      row: undefined,
    });
  for (const { id: row, provider, session_id, machine } of all)
    byName.set(sessionText({ provider, session_id, machine }), { provider, session_id, machine, row });
  return [...byName.values()];
}

/** The row of a session, made when it first says something. Within a transaction. */
export function sessionRow(
  database: MemoryDatabase,
  { provider, session_id: id, machine }: ConsoleKey,
): number {
  database.run(
    'INSERT OR IGNORE INTO sessions (provider, session_id, machine) VALUES (?, ?, ?)',
    provider,
    id,
    machine,
  );
  const row = database.get<{ id: number }>(
    'SELECT id FROM sessions WHERE provider = ? AND session_id = ? AND machine = ?',
    provider,
    id,
    machine,
  );
  return row?.id ?? 0;
}

/** The key of a row; every row that refers to a session has one. */
export function sessionKey(database: MemoryDatabase, row: number): ConsoleKey {
  const found = database.get<Record<keyof ConsoleKey, string>>(
    'SELECT provider, session_id, machine FROM sessions WHERE id = ?',
    row,
  );
  if (found === undefined) throw new PalisadeError('internal', `session ${row} has no name`);
  return { ...found };
}

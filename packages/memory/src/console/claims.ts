import {
  type ConsoleClaim,
  type ConsoleClaimAnswer,
  type ConsoleKey,
  PalisadeError,
} from '@palisade/contracts';
import type { MemoryDatabase } from '../store/memory-database.ts';
import { type ClaimTarget, overlap } from './claim-target.ts';
import { type Change, type Console, change, idNumber, idText, missing, optionalText } from './console.ts';
import { type KnownSession, sessionKey, sessionRow } from './sessions.ts';

/*
 * A claim is a lease: while it lasts, no other session gets one that overlaps. It ends by release or by time, whatever
 * became of who holds it (FF-041). A claim that is refused is not kept (D-08).
 */

export const LEASE_MS = { usual: 30 * 60_000, least: 1_000, most: 7 * 86_400_000 } as const;
const MAX_TARGETS = 500;

export interface Acquisition extends Change {
  readonly session: KnownSession;
  readonly repository: string;
  readonly targets: readonly ClaimTarget[];
  readonly ttlMs: number;
  readonly intent: string | undefined;
}

interface Row extends Record<string, null | number | string> {
  readonly id: number;
  readonly session: number;
  readonly repository: string;
  readonly target_type: ConsoleClaim['target_type'];
  readonly target: string;
  readonly intent: string | null;
  readonly lease_until: number;
  readonly status: ConsoleClaim['status'];
  readonly created_at: number;
  readonly released_at: number | null;
}

/**
 * All targets or none; those that the session holds already are renewed, for no shorter than before. Asked again with its
 * key it tells what is held now: a conflict when something of it has ended. Errors: `invalid_input`, `too_large`, those
 * of {@link change}.
 */
export function acquireClaims(console: Console, wish: Acquisition): Promise<ConsoleClaimAnswer> {
  const { database } = console;
  const { session, repository, ttlMs } = wish;
  const targets = [...new Map(wish.targets.map((each) => [each.target, each])).values()];
  if (targets.length === 0) throw new PalisadeError('invalid_input', 'nothing is named to claim');
  if (targets.length > MAX_TARGETS)
    throw new PalisadeError('too_large', `at most ${MAX_TARGETS} paths can be claimed at once`, {
      next: 'claim their folder',
    });
  if (ttlMs < LEASE_MS.least || ttlMs > LEASE_MS.most)
    throw new PalisadeError('invalid_input', 'a lease lasts between a second and seven days');
  const intent = optionalText(wish.intent);
  const conflicts = (active: readonly Row[], mine: number): readonly Row[] =>
    active.filter(
      (each) => each.session !== mine && targets.some(({ target }) => overlap(target, each.target)),
    );
  const acquire = (now: number): readonly number[] | undefined => {
    const mine = sessionRow(database, session);
    expire(database, now);
    const active = activeClaims(database, repository);
    if (conflicts(active, mine).length > 0) return undefined;
    const until = now + ttlMs;
    return targets.map(({ target, target_type: type }) => {
      const held = active.find((each) => each.session === mine && each.target === target);
      if (held === undefined)
        return database.run(
          `INSERT INTO claims (session, repository, target_type, target, intent, lease_until, status, created_at)
           VALUES (?, ?, ?, ?, ?, ?, 'active', ?)`,
          mine,
          repository,
          type,
          target,
          intent,
          until,
          now,
        );
      database.run(
        'UPDATE claims SET lease_until = max(lease_until, ?), intent = coalesce(?, intent) WHERE id = ?',
        until,
        intent,
        held.id,
      );
      return held.id;
    });
  };
  return change(console, wish, acquire, (ids, now): ConsoleClaimAnswer => {
    expire(database, now);
    const claims = claimsById(database, ids, now);
    const isHeld = claims.length === targets.length && claims.every(({ status }) => status === 'active');
    if (isHeld) return { status: 'acquired', claims, conflict_ids: [], conflicts: [] };
    const others = conflicts(activeClaims(database, repository), sessionRow(database, session));
    const views = others.map((row) => claimView(database, row, now));
    return { status: 'conflict', claims: [], conflict_ids: views.map(({ id }) => id), conflicts: views };
  });
}

export interface Release extends Change {
  readonly session: KnownSession;
  /** By id, or by target in a repository, or everything the session holds. */
  readonly which:
    | { readonly ids: readonly string[] }
    | { readonly repository: string; readonly targets: readonly string[] }
    | 'all';
}

/** Ends claims of the session; one that has ended stays as it is. Errors: `not_found`, `operation_not_permitted`. */
export function releaseClaims(console: Console, wish: Release): Promise<readonly ConsoleClaim[]> {
  const { database } = console;
  const { which } = wish;
  const release = (now: number): readonly number[] => {
    const mine = sessionRow(database, wish.session);
    expire(database, now);
    const rows = named(database, mine, which);
    if (rows.some(({ session }) => session !== mine))
      throw new PalisadeError('operation_not_permitted', 'a claim is released by the session that holds it', {
        next: 'wait until it ends: pal console claim-list',
      });
    for (const { id } of rows)
      database.run(
        `UPDATE claims SET status = 'released', released_at = ? WHERE id = ? AND status = 'active'`,
        now,
        id,
      );
    return rows.map(({ id }) => id);
  };
  return change(console, wish, release, (ids, now) => claimsById(database, ids, now));
}

function named(database: MemoryDatabase, mine: number, which: Release['which']): readonly Row[] {
  if (which === 'all')
    return database.all<Row>(
      `SELECT * FROM claims WHERE session = ? AND status = 'active' ORDER BY id`,
      mine,
    );
  if ('ids' in which)
    return which.ids.map((written) => {
      const row = database.get<Row>('SELECT * FROM claims WHERE id = ?', idNumber('clm', 'claim', written));
      if (row === undefined) throw missing('claim', written, 'pal console claim-list');
      return row;
    });
  const active = activeClaims(database, which.repository);
  return which.targets.map((target) => {
    const row = active.find((each) => each.target === target && each.session === mine);
    if (row === undefined)
      throw new PalisadeError('not_found', `the session holds no claim of ${JSON.stringify(target)}`, {
        next: 'pal console claim-list',
      });
    return row;
  });
}

/** Claims of a repository, or of all; those that hold now, or all that ever were, the newest first. */
export function listClaims(
  { database, now }: Console,
  repository: string | undefined,
  isEver: boolean,
): readonly ConsoleClaim[] {
  return database
    .all<Row>(
      `SELECT * FROM claims WHERE (? IS NULL OR repository = ?) AND (? OR (status = 'active' AND lease_until > ?))
       ORDER BY id DESC LIMIT 1000`,
      repository ?? null,
      repository ?? null,
      isEver ? 1 : 0,
      now,
    )
    .map((row) => claimView(database, row, now));
}

/** Those a session holds now. */
export function claimsOf({ database, now }: Console, session: number): readonly ConsoleClaim[] {
  return database
    .all<Row>(
      `SELECT * FROM claims WHERE session = ? AND status = 'active' AND lease_until > ? ORDER BY id`,
      session,
      now,
    )
    .map((row) => claimView(database, row, now));
}

/** How many claims of other sessions are on one of these paths of a repository. */
export function conflictCount(
  { database, now }: Console,
  session: number,
  repository: string | null,
  files: readonly string[],
): number {
  if (repository === null || files.length === 0) return 0;
  return activeClaims(database, repository).filter(
    (each) =>
      each.session !== session && each.lease_until > now && files.some((file) => overlap(file, each.target)),
  ).length;
}

/** Leases that have run out, before anything is decided on them. */
function expire(database: MemoryDatabase, now: number): void {
  database.run(
    `UPDATE claims SET status = 'expired', released_at = lease_until WHERE status = 'active' AND lease_until <= ?`,
    now,
  );
}

function activeClaims(database: MemoryDatabase, repository: string): readonly Row[] {
  return database.all<Row>(
    `SELECT * FROM claims WHERE repository = ? AND status = 'active' ORDER BY id`,
    repository,
  );
}

/** Without those that were removed since. */
function claimsById(database: MemoryDatabase, ids: readonly number[], now: number): ConsoleClaim[] {
  return ids.flatMap((id) => {
    const row = database.get<Row>('SELECT * FROM claims WHERE id = ?', id);
    return row === undefined ? [] : [claimView(database, row, now)];
  });
}

function claimView(database: MemoryDatabase, row: Row, now: number): ConsoleClaim {
  const { id, session, repository, target_type, target, intent, lease_until, created_at } = row;
  const isOver = row.status === 'active' && lease_until <= now;
  const key: ConsoleKey = sessionKey(database, session);
  return {
    id: idText('clm', id),
    ...key,
    repository,
    target_type,
    target,
    intent,
    lease_until,
    status: isOver ? 'expired' : row.status,
    created_at,
    released_at: isOver ? lease_until : row.released_at,
  };
}

import { limits, newId, PalisadeError, truncateText } from '@palisade/contracts';
import type { JobClaim, Jobs, Statements } from '../database/database.ts';
import type { Deadline } from '../leases/deadline.ts';
import { jobBackoffMs, standDownMs } from './back-off.ts';

/*
 * A job's life. `queued`: waits for `ready_at`. `running`: held by (owner, fence) until its lease
 * expires; expired with attempts left it is claimed again, without it is lost (lost-jobs.ts).
 * `completed`, `dead`: final, no statement has them as a source (FF-039). Every transition out of
 * `running` names id, fence, owner and status: a late holder changes nothing (EX-093, FF-049).
 */
const INSERT = `INSERT INTO kernel_jobs
(id, kind, unique_key, payload, status, ready_at, fence, attempt_count, max_attempts, created_at)
VALUES (?, ?, ?, ?, 'queued', ?, 0, 0, ?, ?)
ON CONFLICT (kind, unique_key) WHERE unique_key IS NOT NULL AND status IN ('queued', 'running') DO NOTHING
RETURNING id`;
const LIVE = `SELECT id FROM kernel_jobs
WHERE kind = ? AND unique_key = ? AND unique_key IS NOT NULL AND status IN ('queued', 'running')`;
const HELD = `id = ? AND fence = ? AND lease_owner = ? AND status = 'running'`;
const HEARTBEAT = `UPDATE kernel_jobs SET lease_expires_at = ? WHERE ${HELD}`;
const LEASE = `SELECT lease_expires_at FROM kernel_jobs WHERE ${HELD}`;
const completeStatement = perCount(
  (
    n,
  ) => `UPDATE kernel_jobs SET status = 'completed', lease_owner = NULL, lease_expires_at = NULL, finished_at = ?
WHERE status = 'running' AND (id, fence, lease_owner) IN (VALUES ${rows(n, '(?, CAST(? AS BIGINT), ?)')}) RETURNING id, fence`,
);
const FAIL = `UPDATE kernel_jobs SET
status = CASE WHEN attempt_count >= max_attempts THEN 'dead' ELSE 'queued' END,
finished_at = CASE WHEN attempt_count >= max_attempts THEN CAST(? AS BIGINT) END,
lease_owner = NULL, lease_expires_at = NULL, ready_at = ?, error = ? WHERE ${HELD} RETURNING status`;
const STAND_DOWN = `UPDATE kernel_jobs SET status = 'queued', attempt_count = attempt_count - 1,
lease_owner = NULL, lease_expires_at = NULL, ready_at = ? WHERE ${HELD}`;
const attemptBeginStatement = perCount(
  (n) => `INSERT INTO kernel_job_attempts (job, fence, owner, outcome, started_at)
VALUES ${rows(n, "(?, ?, ?, 'running', ?)")}`,
);
const attemptCompleteStatement = perCount(
  (n) => `UPDATE kernel_job_attempts SET outcome = 'completed', ended_at = ?
WHERE (job, fence) IN (VALUES ${rows(n, '(?, CAST(? AS BIGINT))')})`,
);
const ATTEMPT_END =
  'UPDATE kernel_job_attempts SET outcome = ?, error = ?, ended_at = ? WHERE job = ? AND fence = ?';
const ATTEMPT_LOST = `UPDATE kernel_job_attempts SET outcome = 'lost', ended_at = ?
WHERE job = ? AND fence < ? AND outcome = 'running'`;

/** Longest error text kept of an attempt (EX-090). */
const ERROR_CHARS = 1_000;

interface ClaimedRow {
  readonly id: string;
  readonly kind: string;
  readonly payload: string;
  readonly fence: number;
  readonly attempt_count: number;
}

/** Durable jobs in one transaction (EX-090…EX-094). Uniqueness of `key` is per kind. */
export class DurableJobs implements Jobs {
  readonly #sql: Statements;
  readonly #now: number;
  readonly #deadline: Deadline;
  readonly #skipLocked: string;

  /** `skipLocked` is the dialect's row-lock clause of a claim, empty where writers are serialised anyway. */
  constructor(sql: Statements, now: number, deadline: Deadline, skipLocked: string) {
    this.#sql = sql;
    this.#now = now;
    this.#deadline = deadline;
    this.#skipLocked = skipLocked;
  }

  async enqueue(
    kind: string,
    payload: unknown,
    options: { readonly key?: string; readonly readyAt?: number; readonly maxAttempts?: number } = {},
  ): Promise<string> {
    const text = JSON.stringify(payload ?? null);
    const inserted = await this.#sql.get<{ id: string }>(INSERT, [
      newId('job', this.#now),
      kind,
      options.key ?? null,
      text,
      options.readyAt ?? this.#now,
      options.maxAttempts ?? limits.jobMaxAttempts,
      this.#now,
    ]);
    if (inserted !== undefined) return inserted.id;
    const live = await this.#sql.get<{ id: string }>(LIVE, [kind, options.key ?? null]);
    if (live === undefined) throw new PalisadeError('internal', 'a live job blocked its own enqueue');
    return live.id;
  }

  async claim(kinds: readonly string[], owner: string, leaseMs: number): Promise<JobClaim | null> {
    return (await this.claimMany(kinds, owner, leaseMs, 1))[0] ?? null;
  }

  async claimMany(
    kinds: readonly string[],
    owner: string,
    leaseMs: number,
    limit: number,
  ): Promise<JobClaim[]> {
    if (kinds.length === 0 || limit <= 0) return [];
    const rows = await this.#sql.all<ClaimedRow>(claimStatement(kinds.length, this.#skipLocked), [
      ...kinds,
      this.#now,
      limit,
      ...kinds,
      this.#now,
      limit,
      limit,
      owner,
      this.#now + leaseMs,
    ]);
    if (rows.length === 0) return [];
    for (const { id, fence } of rows) {
      // A first claim has no earlier attempt that could have been lost.
      if (fence > 1) await this.#sql.run(ATTEMPT_LOST, [this.#now, id, fence]);
    }
    await this.#sql.run(
      attemptBeginStatement(rows.length),
      rows.flatMap(({ id, fence }) => [id, fence, owner, this.#now]),
    );
    return rows.map((row) => ({
      id: row.id,
      kind: row.kind,
      payload: JSON.parse(row.payload) as unknown,
      fence: row.fence,
      owner,
      attempt: row.attempt_count,
    }));
  }

  /** Extends an unexpired lease: waiting for a lock never revives a lapsed one (AC-129). */
  async heartbeat(claim: JobClaim, leaseMs: number): Promise<void> {
    const held = [claim.id, claim.fence, claim.owner];
    const row = await this.#sql.get<{ lease_expires_at: number }>(LEASE, held);
    if (row === undefined || row.lease_expires_at <= this.#now) throw staleClaim(claim);
    this.#deadline.relyOn(row.lease_expires_at);
    if ((await this.#sql.run(HEARTBEAT, [this.#now + leaseMs, ...held])) === 0) throw staleClaim(claim);
  }

  /** A current fence is accepted even after its lease ran out, as long as nobody took over (FF-048). */
  async complete(claim: JobClaim): Promise<void> {
    if ((await this.completeMany([claim]))[0] !== true) throw staleClaim(claim);
  }

  async completeMany(claims: readonly JobClaim[]): Promise<boolean[]> {
    if (claims.length === 0) return [];
    const held = claims.flatMap(({ id, fence, owner }) => [id, fence, owner]);
    const rows = await this.#sql.all<{ id: string; fence: number }>(completeStatement(claims.length), [
      this.#now,
      ...held,
    ]);
    const completed = new Set(rows.map(({ id }) => id));
    if (rows.length > 0)
      await this.#sql.run(attemptCompleteStatement(rows.length), [
        this.#now,
        ...rows.flatMap(({ id, fence }) => [id, fence]),
      ]);
    // A claim named twice was current once.
    return claims.map(({ id }) => completed.delete(id));
  }

  async fail(
    claim: JobClaim,
    error: string,
    options: { readonly retryAt?: number } = {},
  ): Promise<'queued' | 'dead'> {
    const text = truncateText(error, ERROR_CHARS);
    const readyAt = options.retryAt ?? this.#now + jobBackoffMs(claim.attempt);
    const held = [claim.id, claim.fence, claim.owner];
    const row = await this.#sql.get<{ status: 'queued' | 'dead' }>(FAIL, [this.#now, readyAt, text, ...held]);
    if (row === undefined) throw staleClaim(claim);
    await this.#endAttempt(claim, row.status === 'dead' ? 'dead' : 'failed', text);
    return row.status;
  }

  async standDown(claim: JobClaim): Promise<void> {
    const readyAt = this.#now + standDownMs();
    const changed = await this.#sql.run(STAND_DOWN, [readyAt, claim.id, claim.fence, claim.owner]);
    if (changed === 0) throw staleClaim(claim);
    await this.#endAttempt(claim, 'stood_down', null);
  }

  async #endAttempt(claim: JobClaim, outcome: string, error: string | null): Promise<void> {
    await this.#sql.run(ATTEMPT_END, [outcome, error, this.#now, claim.id, claim.fence]);
  }
}

/*
 * The oldest ready jobs, and before them those whose lease expired longest ago: their work has waited
 * longest. Each branch is one seek in its own partial index. The choice is materialised: a plan that
 * evaluated it twice would lock, and claim, more than the limit.
 */
function claimStatement(kinds: number, skipLocked: string): string {
  let sql = claimStatements.get(`${kinds}${skipLocked}`);
  if (sql === undefined) {
    const any = `kind IN (${rows(kinds, '?')})`;
    sql = `WITH chosen AS MATERIALIZED (
  SELECT id FROM (SELECT id FROM kernel_jobs WHERE status = 'running' AND ${any} AND lease_expires_at <= ?
    AND attempt_count < max_attempts ORDER BY lease_expires_at LIMIT ?${skipLocked}) AS expired
  UNION ALL
  SELECT id FROM (SELECT id FROM kernel_jobs WHERE status = 'queued' AND ${any} AND ready_at <= ?
    ORDER BY ready_at, id LIMIT ?${skipLocked}) AS ready
  LIMIT ?)
UPDATE kernel_jobs SET status = 'running', lease_owner = ?, lease_expires_at = ?,
fence = fence + 1, attempt_count = attempt_count + 1
WHERE id IN (SELECT id FROM chosen)
RETURNING id, kind, payload, fence, attempt_count`;
    claimStatements.set(`${kinds}${skipLocked}`, sql);
  }
  return sql;
}
const claimStatements = new Map<string, string>();

/** `n` times `row`, separated by commas. */
function rows(n: number, row: string): string {
  return Array.from({ length: n }, () => row).join(', ');
}

/** A statement whose text depends on how many rows it names, made once for each number. */
function perCount(make: (n: number) => string): (n: number) => string {
  const made = new Map<number, string>();
  return (n) => {
    let sql = made.get(n);
    if (sql === undefined) made.set(n, (sql = make(n)));
    return sql;
  };
}

/** A claim that is not current any more; its holder stops. */
export function staleClaim(claim: JobClaim): PalisadeError {
  return new PalisadeError('lease_conflict', `fence ${claim.fence} of job ${claim.id} is not current`, {
    next: 'stop, and write nothing',
  });
}

import { PalisadeError } from '@palisade/contracts';
import type { Lease, Leases, Statements } from '../database/database.ts';
import type { Deadline } from './deadline.ts';

/*
 * `now == expires_at` is expired: a free lease is one with expires_at <= now. Of a held one no row is
 * touched: PostgreSQL would lock it, call that a write, and wake every listener for a claim that was refused.
 */
const CLAIM = `INSERT INTO kernel_leases (resource, owner, fence, expires_at, released) SELECT ?, ?, 1, ?, 0
WHERE NOT EXISTS (SELECT 1 FROM kernel_leases held
  WHERE held.resource = ? AND held.expires_at > ? AND NOT (held.owner = ? AND held.fence = ?))
ON CONFLICT (resource) DO UPDATE SET
  owner = excluded.owner, fence = kernel_leases.fence + 1, expires_at = excluded.expires_at, released = 0
WHERE kernel_leases.expires_at <= ? OR (kernel_leases.owner = ? AND kernel_leases.fence = ?)
RETURNING fence`;
const RENEW = `UPDATE kernel_leases SET expires_at = CASE WHEN expires_at > ? THEN expires_at ELSE ? END
WHERE resource = ? AND owner = ? AND fence = ? AND expires_at > ? RETURNING expires_at`;
const RELEASE = `UPDATE kernel_leases SET expires_at = 0, released = 1
WHERE resource = ? AND owner = ? AND fence = ? AND released = 0`;
const READ =
  'SELECT resource, owner, fence, expires_at FROM kernel_leases WHERE resource = ? AND released = 0';

const READ_AT_ONCE = 100;

interface LeaseRow {
  readonly resource: string;
  readonly owner: string;
  readonly fence: number;
  readonly expires_at: number;
}

/**
 * Time-bounded authority with a strictly increasing number (EX-088, AC-129). The row of a resource
 * is never deleted, so its fence never restarts. The same owner asking twice is refused like anybody
 * else: one identity is not one attempt (FF-045).
 */
export class FencedLeases implements Leases {
  readonly #sql: Statements;
  readonly #now: number;
  readonly #deadline: Deadline;

  constructor(sql: Statements, now: number, deadline: Deadline) {
    this.#sql = sql;
    this.#now = now;
    this.#deadline = deadline;
  }

  async claim(
    resource: string,
    owner: string,
    ttlMs: number,
    takeOverFrom?: { readonly owner: string; readonly fence: number },
  ): Promise<Lease | null> {
    const expiresAt = this.#now + ttlMs;
    const free = [this.#now, takeOverFrom?.owner ?? '', takeOverFrom?.fence ?? -1];
    const row = await this.#sql.get<{ fence: number }>(CLAIM, [
      resource,
      owner,
      expiresAt,
      resource,
      ...free,
      ...free,
    ]);
    return row === undefined ? null : { resource, owner, fence: row.fence, expiresAt };
  }

  async renew(lease: Lease, ttlMs: number): Promise<Lease> {
    await this.assert(lease);
    const wanted = this.#now + ttlMs;
    const row = await this.#sql.get<{ expires_at: number }>(RENEW, [
      wanted,
      wanted,
      lease.resource,
      lease.owner,
      lease.fence,
      this.#now,
    ]);
    if (row === undefined) throw conflict(lease);
    return { ...lease, expiresAt: row.expires_at };
  }

  async assert(lease: Lease): Promise<void> {
    const row = await this.#sql.get<LeaseRow>(READ, [lease.resource]);
    if (
      row === undefined ||
      row.owner !== lease.owner ||
      row.fence !== lease.fence ||
      row.expires_at <= this.#now
    )
      throw conflict(lease);
    this.#deadline.relyOn(row.expires_at);
  }

  async release(lease: Lease): Promise<boolean> {
    return (await this.#sql.run(RELEASE, [lease.resource, lease.owner, lease.fence])) > 0;
  }

  /** Who took it last, expired or not; null when nobody did or the last holder gave it up. */
  async read(resource: string): Promise<Lease | null> {
    return (await this.readMany([resource])).get(resource) ?? null;
  }

  async readMany(resources: readonly string[]): Promise<Map<string, Lease>> {
    const leases = new Map<string, Lease>();
    for (let i = 0; i < resources.length; i += READ_AT_ONCE) {
      const some = resources.slice(i, i + READ_AT_ONCE);
      const rows = await this.#sql.all<LeaseRow>(
        `SELECT resource, owner, fence, expires_at FROM kernel_leases
         WHERE released = 0 AND resource IN (${some.map(() => '?').join(', ')})`,
        some,
      );
      for (const { resource, owner, fence, expires_at } of rows)
        leases.set(resource, { resource, owner, fence, expiresAt: expires_at });
    }
    return leases;
  }
}

function conflict(lease: Lease): PalisadeError {
  return new PalisadeError(
    'lease_conflict',
    `fence ${lease.fence} of ${lease.resource} is not current or has expired`,
    { next: 'stop, and write nothing' },
  );
}

import { PalisadeError } from '@palisade/contracts';
import type { Database, WriteTx } from '../database/database.ts';
import { LISTENERS } from '../database/postgres/postgres-listeners.ts';

/**
 * Raises `lease_held` while somebody works with a database: a lease has not run out, or, of PostgreSQL, an engine or a server is connected
 * and waits for what others commit, also one that has nothing to do.
 */
export async function assertUnused(tx: WriteTx, dialect: Database['dialect']): Promise<void> {
  const held = await tx.sql.get<{ n: number; until: number | null }>(
    'SELECT COUNT(*) AS n, MAX(expires_at) AS until FROM kernel_leases WHERE released = 0 AND expires_at > ?',
    [tx.now],
  );
  const listeners = dialect === 'postgres' ? await tx.sql.get<{ n: number }>(LISTENERS) : undefined;
  const served = listeners?.n ?? 0;
  const leases = held?.n ?? 0;
  if (served === 0 && leases === 0) return;
  throw new PalisadeError('lease_held', 'the database is in use', {
    why:
      served > 0
        ? `connections of engines or servers that wait for its commits: ${served}`
        : `leases that have not run out: ${leases}; the last one does at ${new Date(held?.until ?? 0).toISOString()}`,
    next: served > 0 ? 'stop whatever serves it' : 'stop whatever works with it, and try again then',
  });
}

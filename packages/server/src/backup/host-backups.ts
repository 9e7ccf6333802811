import { existsSync } from 'node:fs';
import {
  type BackupReport,
  type InvalidatedDatabase,
  PalisadeError,
  parseInput,
  type RestoreReport,
  type VerifiedSnapshot,
} from '@palisade/contracts';
import { assertUnused, openDatabase, type WriteTx } from '@palisade/kernel';
import * as z from 'zod';
import { databaseSetting } from '../database-setting.ts';
import { inControlPlaneHome } from '../in-control-plane-home.ts';
import { layoutOf } from '../layout.ts';
import { assertOwnHome } from '../own-home.ts';
import { roomMigrations } from '../room-migrations.ts';
import { invalidate } from './invalidate.ts';
import { whileKept } from './repository.ts';
import { restoreSnapshot } from './restore-snapshot.ts';
import { takeSnapshot } from './take-snapshot.ts';
import { verifySnapshot } from './verify-snapshot.ts';

const Reason = z.string().trim().min(1).max(500);

/**
 * What only whoever holds the files of a control plane may do: its snapshots (AO-180…AO-198). A `signal` that aborts ends the work with
 * its reason and leaves nothing of it, until what was made is published.
 */
export interface HostBackups {
  backup(input: {
    readonly repository: string;
    readonly signal?: AbortSignal | undefined;
  }): Promise<BackupReport>;
  verify(input: {
    readonly snapshot: string;
    readonly signal?: AbortSignal | undefined;
  }): Promise<VerifiedSnapshot>;
  restore(input: {
    readonly snapshot: string;
    readonly destination: string;
    readonly reason: string;
    /** Absent: the control plane of this directory, where there is one. */
    readonly keys?: string | undefined;
    readonly withoutKeys?: boolean;
    readonly signal?: AbortSignal | undefined;
  }): Promise<RestoreReport>;
  /**
   * Ends in a PostgreSQL database that was restored by its own means what `restore` ends in an SQLite one; `dryRun` tells of what, and
   * changes nothing. Raises `lease_held` while it is in use.
   */
  invalidate(input: { readonly reason: string; readonly dryRun?: boolean }): Promise<InvalidatedDatabase>;
}

/** The snapshots of a project's control plane; verifying and restoring never open it. */
export function hostBackups({ directory }: { readonly directory: string }): HostBackups {
  const { env } = process;
  return {
    async backup({ repository, signal }) {
      const layout = layoutOf(directory);
      return inControlPlaneHome(layout, false, async () => {
        if (databaseSetting(env) !== undefined) throw postgres();
        if (!existsSync(layout.database))
          throw new PalisadeError('not_initialized', `there is no database ${layout.database}`, {
            next: 'palisade init',
          });
        await assertOwnHome(layout.home);
        return takeSnapshot(layout, repository, undefined, signal);
      });
    },
    verify: async ({ snapshot, signal }) =>
      (await whileKept(snapshot, signal, () => verifySnapshot(snapshot, signal))).view,
    async restore({ reason, keys, ...input }) {
      const { home } = layoutOf(directory);
      return restoreSnapshot({
        ...input,
        reason: parseInput(Reason, reason, 'the reason'),
        keys: keys ?? (existsSync(home) ? home : undefined),
        env,
      });
    },
    async invalidate({ reason, dryRun = false }) {
      const url = databaseSetting(env);
      if (url === undefined)
        throw new PalisadeError('requirements_unmet', 'no PostgreSQL database is set', {
          why: 'a snapshot of an SQLite database is restored by palisade restore, which does this itself',
          next: 'set PALISADE_DATABASE_URL to the restored database',
        });
      const text = parseInput(Reason, reason, 'the reason');
      const database = await openDatabase({ url, migrations: roomMigrations.flat() });
      try {
        const snapshotAt = await database.write(async (tx) => tx.now, { whilePaused: true });
        const restoration = { reason: text, snapshotId: 'postgresql', snapshotAt };
        const first = (tx: WriteTx): Promise<void> => assertUnused(tx, database.dialect);
        const { host, pathname } = new URL(url);
        return {
          database: `${host}${pathname}`,
          ...(await invalidate(database, restoration, { first, dryRun })),
        };
      } finally {
        await database.close();
      }
    },
  };
}

function postgres(): PalisadeError {
  return new PalisadeError(
    'requirements_unmet',
    'snapshots are of SQLite databases, and this one is PostgreSQL',
    {
      why: 'PostgreSQL is backed up by its own tools, together with the directory of blobs',
      next: 'pg_dump and a copy of .palisade/planes, in the order of docs/operating.md (Backups)',
    },
  );
}

import { hostname } from 'node:os';
import { type BoundOperation, bindOperation, collectStorage, limits } from '@palisade/contracts';
import { compactReceipts, countDueReceipts, type FileBlobStore, type SecretStore } from '@palisade/kernel';
import { abandonedBefore, countDueRuns, reachableBlobs } from '@palisade/runs';
import type * as z from 'zod';
import { type Chore, type ChoreDeps, doIfDue, doNow } from './chore.ts';
import { retireAndRemove } from './retire-runs.ts';

type Report = z.output<(typeof collectStorage)['output']>;

export interface HousekeepingDeps extends ChoreDeps {
  readonly blobs: FileBlobStore;
  readonly secrets: Pick<SecretStore, 'sweep' | 'countExpired'>;
  /** How long ended runs are kept, ms; null: for ever. */
  readonly retentionMs: number | null;
  /** Of harness sessions, those in which nothing was changed for days. */
  readonly idleSessions: { count(): Promise<number>; close(signal: AbortSignal): Promise<number> };
  /** Removes what crashed processes left of ended attempts on this machine; returns how many. */
  readonly sweepAttempts: () => Promise<number>;
}

export interface Housekeeping {
  /** Does what is due. A chore that fails does not keep the others; what failed is raised at the end. */
  readonly round: (signal: AbortSignal) => Promise<void>;
  readonly operations: readonly BoundOperation[];
}

/**
 * Keeps an installation from growing for ever (DI-082, DI-030, DI-047): forgets old answers to
 * idempotency keys and expired secrets, removes runs whose retention is over, by the operator's setting or their own
 * plan's, and then content that nothing refers to. By default no run's retention is ever over, and everything that
 * evidence is checked with stays.
 *
 * All of it happens in units of work of its own, small enough that callers do not notice (FF-084), may be
 * killed anywhere, and is done by one process at a time.
 */
export function housekeeping(deps: HousekeepingDeps): Housekeeping {
  const database: Chore<Pick<Report, 'runs' | 'runs_before' | 'receipts' | 'secrets' | 'idle_sessions'>> = {
    name: 'database',
    work: async (signal) => {
      const now = await protectedNow(deps);
      const before = runsBefore(deps, now);
      return {
        receipts: await compactReceipts(deps.database, now - limits.receiptMs, { signal }),
        secrets: await deps.secrets.sweep(signal),
        idle_sessions: await deps.idleSessions.close(signal),
        ...(before === null ? {} : { runs_before: before }),
        runs: await retireAndRemove(deps.database, before, signal),
      };
    },
  };
  // Each machine has its own attempts, and may have its own store.
  const store: Chore<Pick<Report, 'attempts' | 'blobs'>> = {
    name: `store ${hostname()} ${deps.blobs.rootUri}`,
    work: async (signal) => {
      const attempts = await deps.sweepAttempts();
      const before = await abandonedBefore(deps.database, limits.blobGraceMs);
      const reachable = await reachableBlobs(deps.database, deps.blobs, { signal });
      return { attempts, blobs: await deps.blobs.collect(reachable, { before, signal }) };
    },
  };
  return {
    async round(signal) {
      const faults: unknown[] = [];
      for (const chore of [database, store])
        await doIfDue<unknown>(deps, chore, signal).catch((error: unknown) => faults.push(error));
      if (faults.length > 0) throw faults[0];
    },
    operations: [
      bindOperation(collectStorage, async ({ dry_run = false }) => {
        if (dry_run) return foresee(deps);
        const first = await doNow(deps, database);
        return { dry_run, ...first, ...(await doNow(deps, store)) };
      }),
    ],
  };
}

/** What a collection would do now; changes nothing. */
async function foresee(deps: HousekeepingDeps): Promise<Report> {
  const now = await protectedNow(deps);
  const before = runsBefore(deps, now);
  const cutoff = await abandonedBefore(deps.database, limits.blobGraceMs);
  const reachable = await reachableBlobs(deps.database, deps.blobs, {
    except: { now, ...(before === null ? {} : { endedBefore: before }) },
  });
  return {
    dry_run: true,
    receipts: await countDueReceipts(deps.database, now - limits.receiptMs),
    secrets: await deps.secrets.countExpired(),
    idle_sessions: await deps.idleSessions.count(),
    ...(before === null ? {} : { runs_before: before }),
    runs: await deps.database.read((tx) => countDueRuns(tx, before, now)),
    attempts: 0,
    blobs: await deps.blobs.collect(reachable, { before: cutoff, dryRun: true }),
  };
}

function runsBefore({ retentionMs }: HousekeepingDeps, now: number): number | null {
  return retentionMs === null ? null : Math.max(0, now - retentionMs);
}

async function protectedNow({ database }: HousekeepingDeps): Promise<number> {
  return database.write(async (tx) => tx.now);
}

import type { RunState } from '@palisade/contracts';
import { moveRootRun, restRun, type RootRun } from '@palisade/runs';
import type { Lease, WriteTx } from '@palisade/kernel';
import { leaveLines } from '../locks/lock-store.ts';

/*
 * A run is held while nothing more of it may start: it is paused, or its queue is. What runs goes on. It gives up
 * its places in the lines for locks at once, because nobody could pass it there, and it draws new tickets
 * when it goes on. When nothing of it runs any more it comes to rest: see `rest-store.ts` of the runs.
 */

/** What a step did of a run that is held. */
export interface Held {
  /** Its items have no tickets any more. */
  readonly leftLines: boolean;
  /** Its owner has given it up. */
  readonly isAtRest: boolean;
}

export const NOT_HELD: Held = { leftLines: false, isAtRest: false };

/** Holds a run in its step; `canRest` when nothing of it runs and nothing is left to be settled. */
export async function hold(
  tx: WriteTx,
  run: RootRun,
  lease: Lease,
  controlSeq: number,
  { hasTickets, canRest }: { readonly hasTickets: boolean; readonly canRest: boolean },
): Promise<Held> {
  if (hasTickets) await leaveLines(tx, run.id);
  if (canRest) {
    await restRun(tx, run.id, controlSeq);
    await tx.leases.release(lease);
  }
  return { leftLines: hasTickets, isAtRest: canRest };
}

/**
 * The state a run is in after a step: `waiting` at rest, or when nothing of it goes on but for an answer of people. One
 * that came to rest before anything of it happened is still queued.
 */
export async function settleState(
  tx: WriteTx,
  run: RootRun,
  isAtRest: boolean,
  isParked: boolean,
  hasChanges: boolean,
): Promise<RunState> {
  if (run.state === 'queued' && isAtRest && !hasChanges) return 'queued';
  const state = isAtRest || isParked ? 'waiting' : 'running';
  if (run.state === 'queued') await moveRootRun(tx, run.id, 'queued', 'running', tx.now);
  const before = run.state === 'queued' ? 'running' : run.state;
  if (state !== before) await moveRootRun(tx, run.id, before, state, null);
  return state;
}

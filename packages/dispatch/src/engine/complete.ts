import { type BudgetBreach, breachText, faultPoint, PalisadeError, type RunState } from '@palisade/contracts';
import type { WriteTx } from '@palisade/kernel';
import { finishRootRun, runStream } from '@palisade/runs';
import { releaseRunLocks } from '../locks/lock-store.ts';
import type { Stage } from './stage.ts';
import type { StepInput } from './step-types.ts';
import { clearRunTroubles } from './trouble-store.ts';

/** Ends a run of which nothing is left, seals its ledger and gives its lease up: the last unit of work of its owner. */
export async function complete(
  tx: WriteTx,
  input: StepInput,
  stage: Stage,
  { cancel, breach }: { readonly cancel: string | null; readonly breach: BudgetBreach | null },
  isOpen: boolean,
): Promise<RunState> {
  const { run, graph } = input;
  faultPoint('complete.before-commit');
  const isGood = graph.isGood((i) => stage.facts(i));
  const stopped = stage.count('canceled') > 0 || (isGood && isOpen);
  const state =
    isGood && !isOpen
      ? 'completed'
      : cancel !== null && stopped
        ? 'canceled'
        : input.damage !== null || !stopped
          ? 'failed'
          : breach !== null
            ? 'budget_exceeded'
            : input.overdue
              ? 'timed_out'
              : 'failed';
  const counts = Object.fromEntries(
    (['done', 'failed', 'skipped', 'canceled', 'denied'] as const)
      .map((s) => [s, stage.count(s)])
      .filter(([, n]) => n !== 0),
  );
  const reason =
    state === 'canceled'
      ? cancel
      : state === 'timed_out'
        ? 'the run passed its deadline'
        : state === 'budget_exceeded'
          ? breach && breachText(breach)
          : state === 'failed'
            ? (input.damage ?? growthFault(stage, graph.size))
            : null;
  await tx.journal.append(runStream(run.id), 'run.completed', {
    run: run.id,
    status: state,
    counts,
    ...(reason === null ? {} : { reason }),
  });
  await tx.journal.seal(runStream(run.id));
  if (!(await finishRootRun(tx, run.id, state, reason)))
    throw new PalisadeError('lease_conflict', `run ${run.id} has already ended`);
  if (graph.hasLocks || input.damage !== null) await releaseRunLocks(tx, run.id);
  await clearRunTroubles(tx, run.id);
  await tx.leases.release(input.lease);
  return state;
}

/** What kept the run from growing as its plan wanted, if anything did. */
function growthFault(stage: Stage, size: number): string | null {
  for (let i = 0; i < size; i++) {
    const { growthFault: fault, settledBy } = stage.facts(i);
    if (fault !== null && settledBy === null) return fault;
  }
  return null;
}

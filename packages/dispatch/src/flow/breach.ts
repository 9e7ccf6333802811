import { type BudgetBreach, breachText } from '@palisade/contracts';
import type { WriteTx } from '@palisade/kernel';
import { putBreach, runStream } from '@palisade/runs';
import { markEnded } from '../engine/item-store.ts';
import type { Stage } from '../engine/stage.ts';
import { releaseLocks } from '../locks/lock-store.ts';
import type { FrozenItem } from '../plans/frozen-plan.ts';

/** Records the limit that ends the run. What is left of it is canceled from the next step on. */
export async function recordBreach(tx: WriteTx, runId: string, breach: BudgetBreach): Promise<void> {
  await putBreach(tx, runId, breach);
  await tx.journal.append(runStream(runId), 'run.budget_exceeded', { breach });
}

/** An item that has used up its own budget gets no further attempt. */
export async function failOnBreach(
  tx: WriteTx,
  runId: string,
  stage: Stage,
  ordinal: number,
  item: FrozenItem,
  breach: BudgetBreach,
): Promise<void> {
  const end = { code: 'budget_exceeded', reason: breachText(breach) };
  stage.set(ordinal, { state: 'failed' });
  await markEnded(tx, runId, ordinal, stage.facts(ordinal), end);
  if (item.locks.length > 0) await releaseLocks(tx, runId, item.id);
  await tx.journal.append(runStream(runId), 'item.failed', { item: item.id, ...end, breach });
}

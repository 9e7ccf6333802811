import { faultPoint } from '@palisade/contracts';
import type { WriteTx } from '@palisade/kernel';
import { runStream } from '@palisade/runs';
import type { Stage } from '../engine/stage.ts';
import type { AttemptDelivered, StepInput } from '../engine/step-types.ts';
import { deliveredThrough, insertDelivery, messagesSent } from './channel-store.ts';

/**
 * Records how far the inbox of an attempt came, once for every growth: a new owner that hears of it again tells nothing. Of an attempt that is
 * not the item's present one nothing is told.
 */
export async function recordDelivery(
  tx: WriteTx,
  { run, graph, damage }: StepInput,
  stage: Stage,
  { ordinal, childRunId, through: said }: AttemptDelivered,
): Promise<void> {
  const { state, childRunId: present, attempt } = stage.facts(ordinal);
  if (damage !== null || state !== 'running' || present !== childRunId) return;
  faultPoint('deliver.before-record');
  const { id } = graph.item(ordinal);
  // An executor is believed about what there is, and about nothing else.
  const through = Math.min(said, (await messagesSent(tx, run.id, id)) ?? 0);
  if (through <= (await deliveredThrough(tx, run.id, id, attempt))) return;
  await insertDelivery(tx, run.id, id, { attempt, through });
  await tx.journal.append(runStream(run.id), 'item.messages_delivered', {
    item: id,
    attempt,
    run: childRunId,
    through,
  });
}

import type { InboxMessage } from '@palisade/contracts';
import type { WriteTx } from '@palisade/kernel';
import type { Stage } from '../engine/stage.ts';
import type { Fired, StepInput } from '../engine/step-types.ts';
import { inboxMessage, messagesAfter } from './channel-store.ts';

/**
 * What agents are to be given once the step is committed, by ordinal: those that start now all that their item was sent, those
 * that run what came since. Nothing is read in a run of which nobody ever wished anything, or whose items take no
 * messages; for what runs, only when somebody wished something since the owner's last step.
 *
 * @param controlSeq the run's control position in this step: 0 as long as nobody wished anything
 */
export async function messagesToHandOn(
  tx: WriteTx,
  { run, graph, handedOn, controlSeq: known }: StepInput,
  stage: Stage,
  fired: readonly Fired[],
  controlSeq: number,
): Promise<ReadonlyMap<number, readonly InboxMessage[]>> {
  const messages = new Map<number, readonly InboxMessage[]>();
  if (controlSeq === 0) return messages;
  const after = new Map<number, number>();
  if (controlSeq !== known)
    for (const [i, seq] of handedOn) if (stage.facts(i).state === 'running') after.set(i, seq);
  for (const { ordinal } of fired) if (graph.item(ordinal).channel === true) after.set(ordinal, 0);
  for (const [i, seq] of after) {
    const found = await messagesAfter(tx, run.id, graph.item(i).id, seq);
    if (found.length > 0) messages.set(i, found.map(inboxMessage));
  }
  return messages;
}

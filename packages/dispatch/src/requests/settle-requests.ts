import type { WriteTx } from '@palisade/kernel';
import { markAnswered } from '../engine/item-store.ts';
import type { Stage } from '../engine/stage.ts';
import type { StepInput } from '../engine/step-types.ts';
import { dueRequests, markSettled, type QuestionRequest } from './request-store.ts';
import { settleApproval } from './settle-approval.ts';

/** Requests acted on by one step: with more, the step after it goes on. */
const STEP_REQUESTS = 256;

/**
 * Acts on what people answered and decided since the last step, and on what nobody decided in time. Before
 * anything else of the step: a decision is a fact of the ledger already, whatever is wished of its item since.
 * True when more are left.
 */
export async function settleRequests(tx: WriteTx, input: StepInput, stage: Stage): Promise<boolean> {
  if (stage.count('needs_input') === 0) return false;
  const due = await dueRequests(tx, input.run.id, tx.now, STEP_REQUESTS);
  for (const request of due) {
    if (request.kind === 'question') await goOn(tx, stage, request);
    else await settleApproval(tx, stage, request);
  }
  return due.length === STEP_REQUESTS;
}

/** The item may be tried again, now that its agent has an answer. */
async function goOn(tx: WriteTx, stage: Stage, request: QuestionRequest): Promise<void> {
  await markSettled(tx, request);
  if (stage.facts(request.ordinal).state !== 'needs_input') return;
  stage.set(request.ordinal, { state: 'ready', nextAttemptAt: 0 });
  await markAnswered(tx, request.runId, request.ordinal);
}

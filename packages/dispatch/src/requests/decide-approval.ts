import {
  type ApprovalRecord,
  approvalRecordText,
  type CallContext,
  type decideRequest,
  faultPoint,
  PalisadeError,
} from '@palisade/contracts';
import { answerBefore, answerOnce, receiptOf, rehearse, type WriteTx } from '@palisade/kernel';
import { bumpControl, hasExtended, keepProduct, type RootRun, resolveRun, runStream } from '@palisade/runs';
import type * as z from 'zod';
import type { PlanDeps } from '../plans/plan-deps.ts';
import { openRequest } from './open-request.ts';
import { type ApprovalRequest, endRequest, requestsOfRun } from './request-store.ts';
import { decidedFacts, productOf } from './settle-approval.ts';
import { viewOf } from './view-of.ts';

type Input = z.output<(typeof decideRequest)['input']>;
type Output = z.output<(typeof decideRequest)['output']>;

/** Only a person decides: no agent, no trigger and no service, whoever gave them a way to call. */
const PERSON = /^human:/;

/**
 * Approves or denies, from any process. The record of the decision is stored before it is committed, so that
 * whatever depends on it finds it; its place in the ledger and the wish for the run's owner are one commit.
 *
 * @throws PalisadeError `policy_denied` when the caller may not decide it, `stale_revision` when something else is asked
 *   than what was shown, `invalid_state` when somebody was first or time is over
 */
export async function decideApproval(deps: PlanDeps, input: Input, context: CallContext): Promise<Output> {
  if (input.reason !== undefined) deps.scanText(input.reason, 'the reason');
  const receipt = receiptOf(context, 'requests.decide');
  const look = async (tx: WriteTx) => {
    const run = await resolveRun(tx, context.project, input.run);
    const request = await openRequest(tx, run, input.item, input.hash);
    if (request.kind !== 'approval')
      throw new PalisadeError('invalid_state', `${run.id}/${input.item} asks a question`, {
        next: `palisade answer ${run.id}/${input.item}`,
      });
    await assertMayDecide(tx, run, request, input.decision, context.actor);
    return { run, request };
  };
  const record = await deps.database.write(async (tx) => {
    // A repeat is answered as it was the first time: by then the request is no longer open.
    if (
      receipt !== undefined &&
      input.dry_run !== true &&
      (await answerBefore<Output>(tx, receipt, input)) !== null
    )
      return null;
    return recordOf((await look(tx)).request, input, context.actor, tx.now);
  });
  const wish = async (tx: WriteTx): Promise<Output> => {
    const { run, request } = await look(tx);
    if (record === null || record.request !== request.id)
      throw new PalisadeError('stale_revision', `${run.id}/${input.item} asks something else now`);
    await endRequest(tx, request, { outcome: record.decision, actor: context.actor, record });
    await tx.journal.append(runStream(run.id), 'item.decided', decidedFacts(request, record));
    await keepProduct(tx, request.manifest.attempt_run, productOf(record, record.decision === 'approve'));
    await bumpControl(tx, run.id);
    faultPoint('decide.before-commit');
    const ended = { ...request, outcome: record.decision, endedAt: tx.now, actor: context.actor };
    return { request: viewOf({ ...ended, decided: record }, run.title, tx.now) };
  };
  if (input.dry_run === true) return rehearse(deps.database, wish);
  if (record !== null) await deps.blobs.put(Buffer.from(approvalRecordText(record), 'utf8'));
  const result = await deps.database.write((tx) => answerOnce(tx, receipt, input, () => wish(tx)));
  faultPoint('decide.after-commit');
  deps.onControl(result.request.run_id);
  return result;
}

function recordOf(
  request: ApprovalRequest,
  { decision, reason }: Input,
  approver: string,
  now: number,
): ApprovalRecord {
  return {
    schema_version: 1,
    request: request.id,
    request_hash: request.hash,
    run_id: request.runId,
    item_id: request.itemId,
    decision,
    approver,
    decided_at: now,
    ...(reason === undefined ? {} : { reason }),
  };
}

/** Who may decide it (DI-203). Denying is anybody's: it lets nothing go on. */
async function assertMayDecide(
  tx: WriteTx,
  run: RootRun,
  { itemId, manifest }: ApprovalRequest,
  decision: Input['decision'],
  actor: string,
): Promise<void> {
  const target = `${run.id}/${itemId}`;
  if (!PERSON.test(actor))
    throw new PalisadeError('policy_denied', `only a person decides ${target}, and ${actor} is none`);
  if (decision === 'deny') return;
  if (manifest.four_eyes) {
    const did = actor === run.actor ? 'started' : (await hasExtended(tx, run.id, actor)) ? 'added to' : null;
    if (did !== null)
      throw new PalisadeError('policy_denied', `${target} needs a second person: ${actor} ${did} the run`);
  }
  for (const other of await requestsOfRun(tx, run.id)) {
    if (other.kind !== 'approval' || other.outcome !== 'approve' || other.actor !== actor) continue;
    if (manifest.distinct_from.includes(other.itemId) || other.manifest.distinct_from.includes(itemId))
      throw new PalisadeError(
        'policy_denied',
        `${target} needs another person than ${run.id}/${other.itemId}, which ${actor} approved`,
      );
  }
}

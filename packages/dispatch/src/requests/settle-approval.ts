import {
  APPROVAL_OUTPUT,
  type ApprovalRecord,
  approvalRecordText,
  contentHash,
  EXPIRY_ACTOR,
  isApproved,
  PalisadeError,
  type ProductFacts,
} from '@palisade/contracts';
import type { WriteTx } from '@palisade/kernel';
import { finishChildRun, runStream } from '@palisade/runs';
import { markEnded } from '../engine/item-store.ts';
import type { Stage } from '../engine/stage.ts';
import { type ApprovalRequest, endRequest, markSettled } from './request-store.ts';

/** What every event about an approval's attempt begins with. */
export function namedBy({ itemId, attempt, manifest }: ApprovalRequest) {
  return { item: itemId, attempt, run: manifest.attempt_run };
}

/** How the ledger tells of a decision. */
export function decidedFacts(request: ApprovalRequest, record: ApprovalRecord) {
  const { decision, approver, decided_at, reason } = record;
  return {
    ...namedBy(request),
    request: request.id,
    request_hash: request.hash,
    decision,
    actor: approver,
    decided_at,
    ...(reason === undefined ? {} : { reason }),
    record: contentHash(approvalRecordText(record)),
  };
}

/**
 * Ends an item as it was decided, or because nobody did in time. What a person decided is told to the ledger already;
 * that time ran out is told here, by protected time.
 */
export async function settleApproval(tx: WriteTx, stage: Stage, request: ApprovalRequest): Promise<void> {
  const record = request.decided ?? (await expire(tx, request));
  await markSettled(tx, request);
  if (stage.facts(request.ordinal).state !== 'needs_input') return;
  const approved = isApproved(record.decision, request.manifest.on_expiry);
  const product = productOf(record, approved);
  const end = approved
    ? { code: null, reason: null }
    : { code: 'approval_denied', reason: verdictText(record) };
  stage.set(request.ordinal, { state: approved ? 'done' : 'denied', product });
  const ended = await finishChildRun(tx, request.manifest.attempt_run, {
    state: approved ? 'completed' : 'failed',
    outcome: approved ? 'succeeded' : 'failed',
    exitCode: null,
    ...end,
    product,
  });
  if (ended === null)
    throw new PalisadeError('lease_conflict', `attempt ${request.manifest.attempt_run} has already ended`);
  await markEnded(tx, request.runId, request.ordinal, stage.facts(request.ordinal), end);
  await tx.journal.append(runStream(request.runId), 'item.reconciled', {
    ...namedBy(request),
    status: approved ? 'done' : 'denied',
    outcome: approved ? 'succeeded' : 'failed',
    product,
    ...(end.reason === null ? {} : { reason: end.reason }),
    ...(end.code === null ? {} : { code: end.code }),
  });
}

async function expire(tx: WriteTx, request: ApprovalRequest): Promise<ApprovalRecord> {
  const record: ApprovalRecord = {
    schema_version: 1,
    request: request.id,
    request_hash: request.hash,
    run_id: request.runId,
    item_id: request.itemId,
    decision: 'expire',
    approver: EXPIRY_ACTOR,
    decided_at: tx.now,
  };
  await endRequest(tx, request, { outcome: 'expire', actor: EXPIRY_ACTOR, record });
  await tx.journal.append(runStream(request.runId), 'item.decided', decidedFacts(request, record));
  return record;
}

/** What a decision leaves: a person's is a product; that nobody decided leaves none. */
export function productOf(record: ApprovalRecord, passed: boolean): ProductFacts {
  const text = approvalRecordText(record);
  const outputs =
    record.decision === 'expire'
      ? []
      : [{ path: APPROVAL_OUTPUT, ref: contentHash(text), size: Buffer.byteLength(text) }];
  return {
    ...(outputs.length === 0 ? {} : { outputs }),
    verify: { passed, report: verdictText(record) },
  };
}

function verdictText({ decision, approver, reason }: ApprovalRecord): string {
  const words = {
    approve: `approved by ${approver}`,
    deny: `denied by ${approver}`,
    expire: 'nobody decided in time',
  };
  return `${words[decision]}${reason === undefined ? '' : `: ${reason}`}`;
}

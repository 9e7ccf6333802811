import { type ApprovalManifest, canonicalJson, newId } from '@palisade/contracts';
import type { WriteTx } from '@palisade/kernel';
import { insertChildRun, putDocument, runStream } from '@palisade/runs';
import { inputsOf } from '../engine/attempt-inputs.ts';
import { markWaiting } from '../engine/item-store.ts';
import type { Stage } from '../engine/stage.ts';
import type { StepInput } from '../engine/step-types.ts';
import type { FrozenApproval } from '../plans/frozen-plan.ts';
import { insertRequest } from './request-store.ts';

/** Approvals asked for by one step: with more, the step after it goes on. */
const STEP_APPROVALS = 64;

/**
 * Asks people for what the plan's approvals that may start now are about (DI-192). They take no slot and no lock,
 * so nothing that is full or held keeps anybody from being asked. True when more are left.
 */
export async function requestApprovals(tx: WriteTx, input: StepInput, stage: Stage): Promise<boolean> {
  const { graph } = input;
  if (!graph.hasApprovals) return false;
  let asked = 0;
  for (const i of candidates(input, stage)) {
    const { approval } = graph.item(i);
    const { state } = stage.facts(i);
    if (approval === undefined || (state !== 'pending' && state !== 'ready')) continue;
    if (asked++ >= STEP_APPROVALS) return true;
    await request(tx, input, stage, i, approval);
  }
  return false;
}

function* candidates(input: StepInput, stage: Stage): Iterable<number> {
  yield* input.ready;
  yield* stage.freed;
}

/** Commits what is asked: the manifest with everything that is shown, the attempt, the request and the ledger. */
async function request(
  tx: WriteTx,
  { run, graph }: StepInput,
  stage: Stage,
  i: number,
  approval: FrozenApproval,
): Promise<void> {
  const item = graph.item(i);
  const inputs = inputsOf(graph, item, (ordinal) => stage.facts(ordinal));
  // What is to be shown does not exist: it fails like any other item.
  if (typeof inputs === 'string') return;
  const id = newId('apr', tx.now);
  const childRunId = newId('run');
  const attempt = stage.facts(i).attempt + 1;
  const expiresAt = approval.expiresMs === null ? null : tx.now + approval.expiresMs;
  const manifest: ApprovalManifest = {
    schema_version: 1,
    kind: 'approval',
    request: id,
    run_id: run.id,
    item_id: item.id,
    attempt,
    attempt_run: childRunId,
    title: item.title,
    actor: run.actor,
    submitted_at: run.submittedAt,
    fired_at: tx.now,
    executor: item.executor,
    prompt: approval.prompt,
    ...(approval.role === null ? {} : { role: approval.role }),
    inputs: inputs.map((each) => ({ ...each })),
    ...(expiresAt === null ? {} : { expires_at: expiresAt }),
    on_expiry: approval.onExpiry,
    four_eyes: approval.fourEyes,
    distinct_from: [...approval.distinctFrom],
    workspace: run.base.kind === 'git' ? { kind: 'git', commit: run.base.commit } : { kind: 'empty' },
  };
  const body = canonicalJson(manifest);
  const hash = await putDocument(tx, run.id, body);
  await insertChildRun(tx, {
    id: childRunId,
    rootRunId: run.id,
    project: run.project,
    kind: 'approval',
    itemId: item.id,
    attempt,
    title: item.title,
    queue: run.queue,
    actor: run.actor,
    deadlineAt: expiresAt ?? run.deadlineAt ?? Number.MAX_SAFE_INTEGER,
    manifestRef: hash,
    agent: item.executor,
    model: null,
    reservedMicroUsd: null,
  });
  stage.set(i, { state: 'needs_input', attempt, childRunId, nextAttemptAt: 0 });
  await markWaiting(tx, run.id, i, stage.facts(i));
  await insertRequest(tx, {
    project: run.project,
    runId: run.id,
    id,
    itemId: item.id,
    ordinal: i,
    attempt,
    kind: 'approval',
    hash,
    body,
    patch: null,
    expiresAt,
  });
  const named = { item: item.id, attempt, run: childRunId };
  const stream = runStream(run.id);
  await tx.journal.append(stream, 'item.fired', { ...named, manifest_ref: hash });
  await tx.journal.append(stream, 'item.approval_requested', {
    ...named,
    request: id,
    request_hash: hash,
    on_expiry: approval.onExpiry,
    ...(expiresAt === null ? {} : { expires_at: expiresAt }),
  });
}

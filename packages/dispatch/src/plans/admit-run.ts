import {
  canonicalJson,
  DEFAULT_PROJECT,
  type EventData,
  faultPoint,
  PalisadeError,
} from '@palisade/contracts';
import { answerBefore, answerOnce, type ReadTx, type ReceiptKey, type WriteTx } from '@palisade/kernel';
import {
  findRootRun,
  findRunOf,
  insertRootRun,
  isRetired,
  putDocument,
  type RootRun,
  type RunBase,
  runStream,
} from '@palisade/runs';
import { openChannels } from '../channels/channel-store.ts';
import { insertItems } from '../engine/item-store.ts';
import { assertLetIn } from '../flow/queue-limits.ts';
import type { FrozenPlan } from './frozen-plan.ts';
import type { PlanDeps } from './plan-deps.ts';

/** What makes two requests for a run the same one. */
export interface RunRequest {
  readonly project: string;
  readonly runId: string;
  /** The wishes as they were written, not what names resolve to today. */
  readonly requestHash: string;
  /** Where the answer to the caller's idempotency key is kept, if there is one. */
  readonly receipt: ReceiptKey | undefined;
}

export interface Admission extends RunRequest {
  readonly frozen: FrozenPlan;
  readonly base: RunBase;
  readonly actor: string;
  readonly allowNetwork: boolean;
  readonly sandbox: string;
  /** In place of the plan's. */
  readonly priority?: number;
  readonly rerunOf: string | null;
  /** The schedule that asks for the run, and for which due time. */
  readonly schedule?: EventData<'run.submitted'>['schedule'];
}

/** A run that is there now, and whether this request made it. */
export interface Admitted {
  readonly runId: string;
  readonly created: boolean;
}

/** A run that was there, and whether the caller's key led to it: a key names one call for ever. */
export interface AdmittedBefore {
  readonly run: RootRun;
  readonly isByKey: boolean;
}

/**
 * The run that this very request was answered with before, or null. Asked before anything is resolved: a
 * repeat is answered also when a name, the repository or a sandbox is not what it was. `already_exists` when
 * the id is another run's.
 */
export async function admittedBefore(deps: PlanDeps, request: RunRequest): Promise<AdmittedBefore | null> {
  const { project, runId, requestHash, receipt } = request;
  const find = async (tx: ReadTx, answer: Admitted | null): Promise<AdmittedBefore | null> => {
    const run = await findRunOf(tx, project, answer?.runId ?? runId);
    if (run === undefined) return null;
    if (answer === null) assertSame(run, requestHash, project);
    return { run, isByKey: answer !== null };
  };
  if (receipt === undefined) return deps.database.read((tx) => find(tx, null));
  return deps.database.write(async (tx) =>
    find(tx, await answerBefore<Admitted>(tx, receipt, { request: requestHash })),
  );
}

/** Admits a frozen plan in one unit of work: run, items, plan document and event, or nothing. */
export async function admit(deps: PlanDeps, admission: Admission): Promise<Admitted> {
  const insert = admissionOf(deps, admission);
  const result = await deps.database.write((tx) =>
    answerOnce(tx, admission.receipt, { request: admission.requestHash }, () => insert(tx)),
  );
  faultPoint('submit.after-commit');
  return result;
}

/** The part of an admission that happens in the caller's unit of work; its receipt is the caller's business. */
export function admissionOf(
  deps: PlanDeps,
  admission: Omit<Admission, 'receipt'>,
): (tx: WriteTx) => Promise<Admitted> {
  const document = canonicalJson(admission.frozen);
  return (tx) => insertOnce(deps, tx, admission, document);
}

async function insertOnce(
  deps: PlanDeps,
  tx: WriteTx,
  admission: Omit<Admission, 'receipt'>,
  document: string,
): Promise<Admitted> {
  const { project, runId, frozen } = admission;
  const existing = await findRootRun(tx, runId);
  if (existing !== undefined) {
    assertSame(existing, admission.requestHash, project);
    return { runId, created: false };
  }
  if (await isRetired(tx, runId))
    throw new PalisadeError('already_exists', `a run ${runId} was here and is not kept any more`, {
      why: "its evidence may be in somebody's hands: an id names one run for ever",
      next: 'choose another id, or leave it out',
    });
  const priority = admission.priority ?? frozen.priority ?? 0;
  await assertLetIn(tx, { project, queue: frozen.queue }, priority);
  const planRef = await putDocument(tx, runId, document);
  const run: RootRun = {
    id: runId,
    project,
    kind: 'plan',
    state: 'queued',
    title: frozen.title,
    queue: frozen.queue,
    actor: admission.actor,
    submittedAt: tx.now,
    startedAt: null,
    finishedAt: null,
    deadlineAt: frozen.timeoutMs === null ? null : tx.now + frozen.timeoutMs,
    reason: null,
    cancelRequestedAt: null,
    cancelReason: null,
    pause: null,
    priority,
    budget: frozen.budget ?? null,
    spent: null,
    base: admission.base,
    settings: { sandbox: admission.sandbox, allowNetwork: admission.allowNetwork },
    planRef,
    requestHash: admission.requestHash,
    rerunOf: admission.rerunOf,
    isOpenEnded: frozen.openEnded === true,
    sealedAt: null,
  };
  await insertRootRun(tx, run, frozen.retentionMs ?? null);
  await insertItems(
    tx,
    runId,
    frozen.items.map((item) => item.id),
  );
  await openChannels(tx, runId, frozen.items);
  if (frozen.notifications !== undefined) await deps.notifications.subscribe(tx, run, frozen.notifications);
  await tx.journal.append(runStream(runId), 'run.submitted', {
    run: runId,
    ...(project === DEFAULT_PROJECT ? {} : { project }),
    title: frozen.title,
    queue: frozen.queue,
    actor: admission.actor,
    items: frozen.items.length,
    plan_ref: planRef,
    ...(run.isOpenEnded ? { open_ended: true as const } : {}),
    workspace: run.base.kind === 'git' ? { kind: 'git', commit: run.base.commit } : { kind: 'empty' },
    ...(frozen.budget === undefined ? {} : { budget: frozen.budget }),
    ...(admission.rerunOf === null ? {} : { rerun_of: admission.rerunOf }),
    ...(admission.schedule === undefined ? {} : { schedule: admission.schedule }),
  });
  await deps.startRun(tx, run, frozen);
  faultPoint('submit.before-commit');
  return { runId, created: true };
}

function assertSame(run: RootRun, requestHash: string, project: string): void {
  if (run.requestHash === requestHash && run.project === project) return;
  throw new PalisadeError('already_exists', `a run ${run.id} exists with other content`, {
    why: 'the same run id was used for another plan, base or sandbox, or other wishes',
    next: 'choose another id, or leave it out',
  });
}

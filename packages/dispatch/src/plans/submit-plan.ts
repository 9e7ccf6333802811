import {
  canonicalHash,
  canonicalJson,
  type CallContext,
  contentHash,
  faultPoint,
  limits,
  newId,
  PalisadeError,
  type submitPlan,
} from '@palisade/contracts';
import { type WriteTx } from '@palisade/kernel';
import {
  findRootRun,
  insertRootRun,
  isRetired,
  putDocument,
  type RootRun,
  type RunBase,
  runStream,
} from '@palisade/runs';
import type * as z from 'zod';
import { insertItems } from '../engine/item-store.ts';
import { queueLimits } from '../engine/queue-store.ts';
import type { FrozenPlan } from './frozen-plan.ts';
import type { PlanDeps } from './plan-deps.ts';
import { freezePlan } from './plan-freeze.ts';
import { validatePlanShape } from './plan-validate.ts';

type Input = z.output<(typeof submitPlan)['input']>;
type Output = z.output<(typeof submitPlan)['output']>;

/**
 * Validates, freezes and admits a plan (DI-164): a refused plan leaves nothing behind; the same run id
 * with the same content answers with the run there is, with other content it is a conflict.
 */
export async function submit(deps: PlanDeps, input: Input, context: CallContext): Promise<Output> {
  const validated = validatePlanShape(input.plan);
  if (!validated.ok) {
    const { issues } = validated;
    throw new PalisadeError(
      'invalid_plan',
      `the plan has ${issues.length === 1 ? 'a problem' : `${issues.length} problems`}`,
      {
        issues,
        next: 'palisade plan validate <file>',
      },
    );
  }
  const { plan } = validated;
  const text = canonicalJson(plan);
  if (text.length > limits.planBytes)
    throw new PalisadeError('too_large', `the plan is larger than ${limits.planBytes} bytes`);
  deps.scanText(text, 'plan');
  const isIsolationRequired =
    input.require_isolation === true || plan.items.some((item) => item.sandbox?.isolated === true);
  const sandbox = await deps.chooseSandbox(input.sandbox, isIsolationRequired);
  const located =
    input.repository === undefined
      ? { base: { kind: 'empty' } as RunBase, warnings: [] }
      : await deps.resolveBase(input.repository, input.base);
  const frozen = await freezePlan(plan, deps.names, {
    sandbox,
    allowNetwork: input.allow_network ?? false,
    executors: deps.executors,
    isQueue: async (name) => (await deps.database.read(queueLimits)).has(name),
    title: input.title ?? 'plan',
  });
  const warnings = [...sandbox.warnings, ...located.warnings];
  const runId = input.run_id ?? plan.id ?? newId('run');
  if (input.dry_run === true)
    return {
      run_id: runId,
      created: false,
      items: frozen.items.length,
      sandbox: sandbox.name,
      isolation: sandbox.isolation,
      warnings,
    };
  // What makes two submissions the same: the plan as written and the wishes beside it, not what names resolve to today.
  const requestHash = canonicalHash({
    plan: contentHash(text),
    repository: input.repository,
    base: input.base,
    sandbox: input.sandbox,
    allow_network: input.allow_network,
  });
  const created = await admit(deps, {
    operation: 'plans.submit',
    runId,
    frozen,
    base: located.base,
    requestHash,
    actor: context.actor,
    allowNetwork: input.allow_network ?? false,
    sandbox: sandbox.name,
    rerunOf: null,
    ...(context.idempotencyKey === undefined ? {} : { idempotencyKey: context.idempotencyKey }),
  });
  return {
    run_id: created.runId,
    created: created.created,
    items: frozen.items.length,
    sandbox: sandbox.name,
    isolation: sandbox.isolation,
    warnings,
  };
}

export interface Admission {
  /** The operation whose receipts the idempotency key belongs to. */
  readonly operation: string;
  readonly runId: string;
  readonly frozen: FrozenPlan;
  readonly base: RunBase;
  readonly requestHash: string;
  readonly actor: string;
  readonly allowNetwork: boolean;
  readonly sandbox: string;
  readonly rerunOf: string | null;
  readonly idempotencyKey?: string;
}

/** Admits a frozen plan in one unit of work: run, items, plan document and event, or nothing. */
export async function admit(
  deps: PlanDeps,
  admission: Admission,
): Promise<{ readonly runId: string; readonly created: boolean }> {
  const document = canonicalJson(admission.frozen);
  const result = await deps.database.write(async (tx) => {
    const key = admission.idempotencyKey;
    if (key === undefined) return insertOnce(deps, tx, admission, document);
    const { value, replayed } = await tx.receipts.once(
      `${admission.actor}:${admission.operation}`,
      key,
      { request: admission.requestHash },
      () => insertOnce(deps, tx, admission, document),
    );
    return { runId: value.runId, created: value.created && !replayed };
  });
  faultPoint('submit.after-commit');
  return result;
}

async function insertOnce(
  deps: PlanDeps,
  tx: WriteTx,
  admission: Admission,
  document: string,
): Promise<{ readonly runId: string; readonly created: boolean }> {
  const { runId, frozen } = admission;
  const existing = await findRootRun(tx, runId);
  if (existing !== undefined) {
    if (existing.requestHash === admission.requestHash) return { runId, created: false };
    throw new PalisadeError('already_exists', `a run ${runId} exists with other content`, {
      why: 'the same run id was used for another plan, base or sandbox',
      next: 'choose another id, or leave it out',
    });
  }
  if (await isRetired(tx, runId))
    throw new PalisadeError('already_exists', `a run ${runId} was here and is not kept any more`, {
      why: "its evidence may be in somebody's hands: an id names one run for ever",
      next: 'choose another id, or leave it out',
    });
  const planRef = await putDocument(tx, runId, document);
  const run: RootRun = {
    id: runId,
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
    base: admission.base,
    settings: { sandbox: admission.sandbox, allowNetwork: admission.allowNetwork },
    planRef,
    requestHash: admission.requestHash,
    rerunOf: admission.rerunOf,
    sealedAt: null,
  };
  await insertRootRun(tx, run);
  await insertItems(
    tx,
    runId,
    frozen.items.map((item) => item.id),
  );
  await tx.journal.append(runStream(runId), 'run.submitted', {
    run: runId,
    title: frozen.title,
    queue: frozen.queue,
    actor: admission.actor,
    items: frozen.items.length,
    plan_ref: planRef,
    workspace: run.base.kind === 'git' ? { kind: 'git', commit: run.base.commit } : { kind: 'empty' },
    ...(admission.rerunOf === null ? {} : { rerun_of: admission.rerunOf }),
  });
  await deps.startRun(tx, run, frozen);
  faultPoint('submit.before-commit');
  return { runId, created: true };
}

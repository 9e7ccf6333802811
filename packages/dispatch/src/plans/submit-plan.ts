import {
  canonicalHash,
  canonicalJson,
  type CallContext,
  contentHash,
  limits,
  newId,
  type Plan,
  PalisadeError,
  submitPlan,
} from '@palisade/contracts';
import { receiptOf } from '@palisade/kernel';
import { chosenRunId, type RootRun } from '@palisade/runs';
import type * as z from 'zod';
import { authorizeItems } from '../authority/authorize-items.ts';
import { assertLetIn, readQueue } from '../flow/queue-limits.ts';
import { admit, admittedBefore, type RunRequest } from './admit-run.ts';
import type { PlanDeps } from './plan-deps.ts';
import { freezeNotifications } from './freeze-notifications.ts';
import { assertOwnInputs, heldToCaller } from './held-to-caller.ts';
import { invalidPlan } from './invalid-plan.ts';
import { isolationOf } from './frozen-plan.ts';
import { freezePlan } from './plan-freeze.ts';
import { asksForIsolation } from './plan-templates.ts';
import { validatePlanShape } from './plan-validate.ts';
import { planWarnings } from './plan-warnings.ts';
import { planOrStandIn } from './stored-plan.ts';

type Input = z.output<(typeof submitPlan)['input']>;
type Output = z.output<(typeof submitPlan)['output']>;

/** All that a caller asks for beside the plan and the run's id. */
type Wishes = Pick<
  Input,
  | 'repository'
  | 'base'
  | 'title'
  | 'sandbox'
  | 'require_isolation'
  | 'allow_network'
  | 'default_model'
  | 'priority'
>;

/**
 * Validates, freezes and admits a plan (DI-164): a refused plan leaves nothing behind; the same run id
 * with the same content answers with the run there is, with other content it is a conflict.
 */
export async function submit(deps: PlanDeps, asked: Input, context: CallContext): Promise<Output> {
  const input = await heldToCaller(deps, asked, context.caller);
  const { plan, requestHash } = checkSubmission(deps, input);
  await assertOwnInputs(deps, plan, context);
  const { project } = context;
  const chosen = input.run_id ?? plan.id;
  const request: RunRequest = {
    project,
    runId: chosen === undefined ? newId('run') : chosenRunId(project, chosen),
    requestHash,
    receipt: receiptOf(context, submitPlan.id),
  };
  if (input.dry_run !== true) {
    const before = await admittedBefore(deps, request);
    if (before !== null) {
      // An id may stand in a plan file that somebody runs again on newer code.
      if (!before.isByKey) await assertSameBase(deps, before.run, input);
      return answerFrom(deps, before.run);
    }
  }
  const who = { project, runId: request.runId, actor: context.actor };
  const { admission, facts } = await resolveSubmission(deps, plan, input, who);
  const answer = { run_id: request.runId, ...facts };
  if (input.dry_run === true) {
    const { queue, priority = 0 } = admission.frozen;
    await deps.database.read((tx) => assertLetIn(tx, { project, queue }, input.priority ?? priority));
    return { ...answer, created: false };
  }
  const { runId, created } = await admit(deps, {
    ...request,
    ...admission,
    actor: context.actor,
    ...(input.priority === undefined ? {} : { priority: input.priority }),
  });
  // Somebody else's same request came first: what it resolved is what runs.
  const before =
    created && runId === request.runId ? null : await admittedBefore(deps, { ...request, runId });
  return before === null ? { ...answer, created: true } : answerFrom(deps, before.run);
}

/** A submission's plan, free of faults and credentials, and what makes another submission the same one. */
export function checkSubmission(
  deps: PlanDeps,
  input: Wishes & Pick<Input, 'plan'>,
): { readonly plan: Plan; readonly requestHash: string } {
  const plan = validPlan(input.plan, deps);
  const text = canonicalJson(plan);
  if (text.length > limits.planBytes)
    throw new PalisadeError('too_large', `the plan is larger than ${limits.planBytes} bytes`);
  deps.scanText(text, 'plan');
  return { plan, requestHash: canonicalHash({ ...wishesOf(input), plan: contentHash(text) }) };
}

/** Resolves everything a plan and its wishes name, as of now, and asks whether it may be done; nothing is admitted. */
export async function resolveSubmission(
  deps: PlanDeps,
  plan: Plan,
  input: Wishes,
  { project, ...who }: { readonly project: string; readonly runId: string; readonly actor: string },
) {
  const isIsolationRequired = input.require_isolation === true || asksForIsolation(plan);
  const sandbox = await deps.chooseSandbox(input.sandbox, isIsolationRequired);
  const located =
    input.repository === undefined
      ? { base: { kind: 'empty' } as const, warnings: [] }
      : await deps.resolveBase(input.repository, input.base);
  const allowNetwork = input.allow_network ?? false;
  const notifications = await freezeNotifications(deps, project, plan);
  const resolved = await freezePlan(plan, deps.names(project), {
    sandbox,
    allowNetwork,
    ...(input.default_model === undefined ? {} : { defaultModel: input.default_model }),
    executors: deps.executors,
    shapes: deps.shapes,
    isQueue: async (name) => (await deps.database.read((tx) => readQueue(tx, project, name))) !== undefined,
    title: input.title ?? 'plan',
    retentionMs: deps.retentionMs ?? null,
  });
  await authorizeItems(deps.authority, { ...who, items: resolved.items });
  const frozen = notifications.length === 0 ? resolved : { ...resolved, notifications };
  return {
    admission: { frozen, base: located.base, allowNetwork, sandbox: sandbox.name, rerunOf: null },
    facts: {
      items: frozen.items.length,
      sandbox: sandbox.name,
      isolation: sandbox.isolation,
      warnings: [
        ...sandbox.warnings,
        ...located.warnings,
        ...planWarnings(plan).map(({ path, message }) => `${path}: ${message}`),
      ],
    },
  };
}

function validPlan(plan: unknown, { shapes }: PlanDeps): Plan {
  const validated = validatePlanShape(plan, shapes);
  if (validated.ok) return validated.plan;
  throw invalidPlan(validated.issues, 'correct it where it says; palisade plan validate tells it beforehand');
}

function wishesOf(input: Wishes) {
  const { repository, base = 'HEAD', title, sandbox, require_isolation, allow_network } = input;
  return {
    repository,
    base,
    title,
    sandbox,
    require_isolation,
    allow_network,
    // Absent in requests of earlier versions: what they hashed to must stay the same.
    ...(input.default_model === undefined ? {} : { default_model: input.default_model }),
    ...(input.priority === undefined ? {} : { priority: input.priority }),
  };
}

/** `already_exists` when the run there is started from another commit than the one meant now, as far as that can be told. */
async function assertSameBase(deps: PlanDeps, run: RootRun, { repository, base }: Input): Promise<void> {
  if (repository === undefined || run.base.kind !== 'git') return;
  const now = await deps.resolveBase(repository, base).catch(() => null);
  if (now === null || now.base.kind !== 'git' || now.base.commit === run.base.commit) return;
  const [was, is] = [run.base.commit, now.base.commit].map((commit) => commit.slice(0, 12));
  throw new PalisadeError('already_exists', `a run ${run.id} exists, and it started from another commit`, {
    why: `it started from ${was}; ${base ?? 'HEAD'} is ${is} now`,
    next: 'choose another id (--run-id NAME), or leave it out of the plan',
  });
}

/** What is true of a run that was there: the sandbox it was admitted with, whatever this machine has today. */
async function answerFrom(deps: PlanDeps, run: RootRun): Promise<Output> {
  const { plan } = await deps.database.read((tx) => planOrStandIn(tx, run));
  return {
    run_id: run.id,
    created: false,
    items: plan.items.length,
    sandbox: run.settings.sandbox,
    isolation: isolationOf(plan),
    warnings: [],
  };
}

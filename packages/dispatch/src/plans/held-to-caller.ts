import {
  type CallContext,
  type Caller,
  type InputIssue,
  isHost,
  limits,
  PalisadeError,
  type Plan,
} from '@palisade/contracts';
import { ownProducts, type RootRun } from '@palisade/runs';
import { type FrozenPlan, isolationOf } from './frozen-plan.ts';
import { invalidPlan } from './invalid-plan.ts';
import type { PlanDeps } from './plan-deps.ts';
import { worksOf } from './plan-templates.ts';

/** What of a submission a caller from outside may not choose freely. */
interface Wishes {
  readonly plan?: unknown;
  readonly repository?: string | undefined;
  readonly require_isolation?: boolean | undefined;
  readonly allow_network?: boolean | undefined;
}

/**
 * Fields of a plan that are for people and services to choose, and no agent's (DI-264). What else an agent might misuse no plan can say:
 * images, addresses and secrets are the operator's, and who asks is told by the credential.
 */
export const NOT_FOR_AGENTS: Readonly<Record<string, string>> = {
  notifications: 'whom a run tells of itself is not for an agent to choose',
  retention_days: 'how long a run is kept is not for an agent to choose',
};

/**
 * A submission as its caller may make it (DI-264). An agent leaves some things to others; see {@link NOT_FOR_AGENTS}. From outside nothing runs without a sandbox that is a boundary, whatever was
 * asked for; the network is for those who provision; and a repository must be one that the operator offers, for its path is one of
 * the server's own machine.
 */
export async function heldToCaller<W extends Wishes>(deps: PlanDeps, wishes: W, caller: Caller): Promise<W> {
  if (isHost(caller)) return wishes;
  if (caller.kind === 'agent') assertForAgents(wishes.plan);
  if (wishes.allow_network === true && !caller.scopes.has('provision'))
    throw new PalisadeError('operation_not_permitted', 'allow_network needs the scope provision', {
      next: 'leave it out, or ask whoever may provision to submit the plan',
    });
  if (wishes.repository !== undefined && !(await deps.isOffered(wishes.repository)))
    throw new PalisadeError('policy_denied', 'this server offers no repository there', {
      why: "a repository is named by its path on the server's machine",
      issues: [{ path: 'repository', message: 'it is not offered' }],
      next: 'name one at or below the directory that the server serves (--repo PATH), or none (--empty)',
    });
  return { ...wishes, require_isolation: true };
}

/**
 * Refuses content that a plan hands to its items by address when no run of the project left it: an address that somebody knows is not
 * enough to have it read out (EX-020). Raises `invalid_plan`.
 */
export async function assertOwnInputs(
  { database }: Pick<PlanDeps, 'database'>,
  { items }: Pick<Plan, 'items'>,
  { project, caller }: Pick<CallContext, 'project' | 'caller'>,
): Promise<void> {
  if (isHost(caller)) return;
  const handed = items.flatMap((item, i) =>
    worksOf(item).flatMap(({ inputs }) =>
      Object.entries(inputs?.inputRefs ?? {}).map(([key, ref]) => ({
        ref,
        path: `items[${i}].inputs.inputRefs.${key}`,
      })),
    ),
  );
  const refs = new Set(handed.map(({ ref }) => ref));
  if (refs.size > limits.planInputRefs)
    throw invalidPlan([
      { path: 'items', message: `they name ${refs.size} contents, more than ${limits.planInputRefs}` },
    ]);
  const own = await ownProducts(database, { project }, refs);
  const issues: InputIssue[] = handed
    .filter(({ ref }) => !own.has(ref))
    .map(({ ref, path }) => ({ path, message: `there is no content ${ref}` }));
  if (issues.length > 0) throw invalidPlan(issues);
}

/** Refuses a plan as an agent wrote it; whether it is one at all is judged later. */
function assertForAgents(plan: unknown): void {
  if (typeof plan !== 'object' || plan === null) return;
  const issues = Object.entries(NOT_FOR_AGENTS)
    .filter(([path]) => Object.hasOwn(plan, path))
    .map(([path, message]) => ({ path, message }));
  const [first] = issues;
  if (first === undefined) return;
  throw new PalisadeError('operation_not_permitted', `${first.path}: ${first.message}`, {
    issues,
    next: `leave ${issues.map(({ path }) => path).join(' and ')} out, or have a person submit the plan`,
  });
}

/** Refuses a caller from outside that would add work to a run which has more than the caller could ask for. */
export function assertMayExtend(
  { settings }: Pick<RootRun, 'settings'>,
  plan: Pick<FrozenPlan, 'items'>,
  caller: Caller,
): void {
  if (isHost(caller)) return;
  const isTooOpen = settings.allowNetwork && !caller.scopes.has('provision');
  if (isolationOf(plan) === 'sandboxed' && !isTooOpen) return;
  throw new PalisadeError(
    'operation_not_permitted',
    `the run has ${isTooOpen ? 'the network' : 'no sandbox that is a boundary'}`,
    {
      next: 'submit a run of your own, or ask whoever started this one',
    },
  );
}

import { type CallContext, canonicalHash, isHost, newId, PalisadeError, rerun } from '@palisade/contracts';
import { receiptOf } from '@palisade/kernel';
import { chosenRunId, type RootRun, resolveRun } from '@palisade/runs';
import type * as z from 'zod';
import { authorizeItems } from '../authority/authorize-items.ts';
import { admit, admittedBefore } from './admit-run.ts';
import { loadItems } from '../engine/item-store.ts';
import { PlanGraph } from '../engine/plan-graph.ts';
import type { FrozenItem, FrozenPlan } from './frozen-plan.ts';
import { assertMayExtend } from './held-to-caller.ts';
import type { PlanDeps } from './plan-deps.ts';
import { readParts, readPlan, withParts } from './stored-plan.ts';

type Input = z.output<(typeof rerun)['input']>;
type Output = z.output<(typeof rerun)['output']>;

/** Runs a finished run's frozen plan again on the same base; the old run stays as it is. */
export async function rerunPlan(deps: PlanDeps, input: Input, context: CallContext): Promise<Output> {
  const { run, plan, done } = await deps.database.read(async (tx) => {
    const run = await resolveRun(tx, context.project, input.run);
    const frozen = await readPlan(tx, run);
    const parts = await readParts(tx, run);
    const graph = new PlanGraph(frozen, await loadItems(tx, run.id), parts);
    return { run, plan: statedPlan(run, withParts(frozen, parts)), done: goodItems(graph) };
  });
  if (run.finishedAt === null)
    throw new PalisadeError('invalid_state', `run ${run.id} has not ended`, {
      next: `palisade watch ${run.id}`,
    });
  const frozen = input.only_failed === true ? unfinishedPart(plan, done) : plan;
  if (frozen.items.length === 0)
    throw new PalisadeError('invalid_state', `every item of run ${run.id} is done`, {
      next: `palisade rerun ${run.id}`,
    });
  const open = frozen.items.find((item) => item.sandbox.isolation === 'unsandboxed-host');
  if (input.require_isolation === true && open !== undefined)
    throw new PalisadeError(
      'requirements_unmet',
      `run ${run.id} ran in the sandbox ${open.sandbox.provider}, which is no boundary, and one is required`,
      { next: 'submit the plan again with a sandbox that is one' },
    );
  if (!isHost(context.caller)) {
    assertMayExtend(run, frozen, context.caller);
    if (run.base.kind === 'git' && !(await deps.isOffered(run.base.topLevel)))
      throw new PalisadeError('policy_denied', 'this server does not offer the repository of that run', {
        next: 'submit the plan again with a repository that it offers',
      });
  }
  const { project } = context;
  const runId = input.run_id === undefined ? newId('run') : chosenRunId(project, input.run_id);
  const request = {
    project,
    runId,
    requestHash: canonicalHash({ rerun_of: run.id, only_failed: input.only_failed ?? false }),
    receipt: receiptOf(context, rerun.id),
  };
  const before = input.dry_run === true ? null : await admittedBefore(deps, request);
  if (before !== null) return { run_id: before.run.id, items: frozen.items.length };
  await authorizeItems(deps.authority, { runId, actor: context.actor, items: frozen.items });
  if (input.dry_run === true) return { run_id: runId, items: frozen.items.length };
  const admitted = await admit(deps, {
    ...request,
    frozen,
    base: run.base,
    actor: context.actor,
    allowNetwork: run.settings.allowNetwork,
    sandbox: run.settings.sandbox,
    priority: run.priority,
    rerunOf: run.id,
  });
  return { run_id: admitted.runId, items: frozen.items.length };
}

/**
 * What somebody stated: the plan and what was added from outside, closed. What the run grew by itself comes
 * from their rules again.
 */
function statedPlan(run: RootRun, whole: FrozenPlan): FrozenPlan {
  const { openEnded: _, ...plan } = whole;
  const items = plan.items.filter((item) => item.grownBy === undefined);
  const stated = new Set(items.map(({ id }) => id));
  for (const { id, dependsOn } of items) {
    const grown = dependsOn.find((other) => !stated.has(other));
    if (grown !== undefined)
      throw new PalisadeError(
        'invalid_state',
        `run ${run.id} cannot be run again: ${id} was added to it and waits for ${grown}, which the run made itself`,
        { next: 'submit the plan, and add to that run' },
      );
  }
  return { ...plan, items };
}

/** Items that ended well, with all that came of their rules: what is not made again. */
function goodItems(graph: PlanGraph): Set<string> {
  const good = new Set(graph.items.map(({ id }) => id));
  for (const [i, item] of graph.items.entries()) {
    if (graph.isGoodEnd(i, (ordinal) => graph.facts(ordinal))) continue;
    for (let bad: FrozenItem | undefined = item; bad !== undefined; ) {
      good.delete(bad.id);
      bad = bad.grownBy === undefined ? undefined : graph.item(graph.ordinal(bad.grownBy));
    }
  }
  return good;
}

/**
 * The items that did not end well, those whose product they need, which must be made again so that the new
 * run's evidence stands alone, and every approval that stands before one of them: what is made again was
 * approved by nobody (DI-192). What stands between an approval and something that writes stays there: the approval was not
 * about that (DI-193). Other finished items are dropped, and what waited for one waits for what it waited for.
 */
function unfinishedPart(plan: FrozenPlan, done: ReadonlySet<string>): FrozenPlan {
  const byId = new Map(plan.items.map((item) => [item.id, item]));
  const approvals = new Set(plan.items.flatMap(({ id, approval }) => (approval === undefined ? [] : [id])));
  const nearest = keptBefore(plan.items, approvals);
  const kept = new Set<string>();
  const looked = new Set<string>();
  const open = plan.items.flatMap((item) => (done.has(item.id) ? [] : [{ item, isKept: true }]));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { item } = next;
    const isKept = next.isKept || item.approval !== undefined;
    if (isKept ? kept.has(item.id) : looked.has(item.id)) continue;
    looked.add(item.id);
    if (isKept) kept.add(item.id);
    const made = isKept
      ? [
          ...item.needs.map((need) => need.from),
          ...(item.approval?.distinctFrom ?? []),
          ...(item.shape?.effect === 'write-impure' ? indirectlyApproved(item, nearest) : []),
        ]
      : [];
    for (const id of new Set([...made, ...item.dependsOn])) {
      const source = byId.get(id);
      if (source !== undefined) open.push({ item: source, isKept: made.includes(id) });
    }
  }
  const waits = keptBefore(plan.items, kept);
  const items = plan.items
    .filter((item) => kept.has(item.id))
    .map((item) => ({
      ...item,
      ...(item.atLeastDone === undefined
        ? {}
        : { atLeastDone: stillNeeded(item.dependsOn, item.atLeastDone, kept) }),
      dependsOn: [...new Set(item.dependsOn.flatMap((id) => waits.get(id) ?? []))],
    }));
  return { ...plan, items };
}

/** Dependencies of an item without which it would directly depend on approvals that are none of its own. */
function indirectlyApproved(
  { dependsOn }: FrozenItem,
  nearest: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  return dependsOn.filter((id) => nearest.get(id)?.some((approval) => !dependsOn.includes(approval)));
}

/** Of every item, itself when it is kept, and else the kept ones it waited for; iterative: chains may be deep. */
function keptBefore(items: readonly FrozenItem[], kept: ReadonlySet<string>): Map<string, readonly string[]> {
  const byId = new Map(items.map((item) => [item.id, item]));
  const before = new Map<string, readonly string[]>();
  for (const first of items) {
    const stack = [first];
    for (let item = stack.at(-1); item !== undefined; item = stack.at(-1)) {
      const missing = item.dependsOn.flatMap((id) => (before.has(id) ? [] : (byId.get(id) ?? [])));
      if (!before.has(item.id) && !kept.has(item.id) && missing.length > 0) {
        stack.push(...missing);
        continue;
      }
      stack.pop();
      if (before.has(item.id)) continue;
      const through = item.dependsOn.flatMap((id) => before.get(id) ?? []);
      before.set(item.id, kept.has(item.id) ? [item.id] : [...new Set(through)]);
    }
  }
  return before;
}

/** How many of what is made again have to be done: those that are left out were. */
function stillNeeded(dependsOn: readonly string[], atLeastDone: number, kept: ReadonlySet<string>): number {
  return Math.max(0, atLeastDone - dependsOn.filter((id) => !kept.has(id)).length);
}

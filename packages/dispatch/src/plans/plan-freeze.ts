import { budgetFacts, type Plan } from '@palisade/contracts';
import { freezeApproval } from './freeze-approval.ts';
import { freezeGrowth } from './freeze-growth.ts';
import type { FreezePolicy, NameResolver } from './freeze-policy.ts';
import { WorkFreezer } from './freeze-work.ts';
import type { FrozenItem, FrozenPlan } from './frozen-plan.ts';
import { invalidPlan } from './invalid-plan.ts';
import { pipelinesInPlace } from './pipelines-in-place.ts';
import { dependenciesOf } from './plan-edges.ts';
import { validatePlanShape } from './plan-validate.ts';

const DAY_MS = 86_400_000;

/**
 * Resolves every name of a validated plan and of its templates, so that nothing registered later changes this
 * run (DI-040, DI-163 BETTER). Collects every unknown name and every wish above the operator's ceiling,
 * and raises them together as `invalid_plan`.
 *
 * @param known items there are besides those of the plan, which they may depend on
 */
export async function freezePlan(
  plan: Plan,
  resolver: NameResolver,
  policy: FreezePolicy,
  known?: ReadonlySet<string>,
): Promise<FrozenPlan> {
  const freezer = new WorkFreezer(resolver, policy);
  const { issues, agents } = freezer;
  const queue = plan.queue ?? 'default';
  if (plan.queue !== undefined && !(await policy.isQueue(queue)))
    issues.push({ path: 'queue', message: `unknown queue "${queue}"` });
  const retentionMs = plan.retention_days === undefined ? undefined : plan.retention_days * DAY_MS;
  const longestMs = policy.retentionMs ?? Number.POSITIVE_INFINITY;
  if (retentionMs !== undefined && retentionMs > longestMs)
    issues.push({
      path: 'retention_days',
      message: `the operator keeps runs for ${longestMs / DAY_MS} days (PALISADE_RETENTION_DAYS)`,
    });
  const items: FrozenItem[] = [];
  const isOnlySplitter = plan.items.filter((item) => item.inputs?.mapReduce !== undefined).length < 2;
  for (const [i, item] of plan.items.entries()) {
    const at = `items[${i}]`;
    if (item.approval !== undefined) {
      items.push(freezeApproval(item, item.approval, policy.sandbox));
      continue;
    }
    const work = await freezer.freeze(item, item.id, at);
    const growth = await freezeGrowth(freezer, item, at, isOnlySplitter);
    if (work === undefined) continue;
    items.push({
      ...work,
      id: item.id,
      title: item.title ?? item.id,
      dependsOn: dependenciesOf(item),
      needs: Object.entries(item.needs ?? {}).map(([key, need]) => ({ ...need, key })),
      ...(item.start_when === 'dependencies_ended' ? { atLeastDone: item.at_least_done ?? 0 } : {}),
      ...(growth === undefined ? {} : { growth }),
    });
  }
  if (issues.length === 0 && freezer.pipelines.size > 0)
    issues.push(...validatePlanShape(pipelinesInPlace(plan, freezer.pipelines), policy.shapes, known).issues);
  if (issues.length > 0) throw invalidPlan(issues);
  return {
    schemaVersion: 1,
    title: plan.title ?? policy.title,
    queue,
    concurrency: plan.concurrency ?? null,
    timeoutMs: plan.timeout_seconds === undefined ? null : plan.timeout_seconds * 1000,
    ...(retentionMs === undefined ? {} : { retentionMs }),
    agents,
    items,
    ...(plan.open_ended === true ? { openEnded: true } : {}),
    ...(plan.max_items === undefined ? {} : { maxItems: plan.max_items }),
    ...(plan.priority === undefined ? {} : { priority: plan.priority }),
    ...(plan.budget === undefined ? {} : { budget: budgetFacts(plan.budget) }),
  };
}

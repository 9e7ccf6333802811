import type { Plan, PlanItem } from '@palisade/contracts';

/** Every item an item waits for: `depends_on` and the sources of `needs`, each once, in order (DI-161). */
export function dependenciesOf(item: PlanItem): string[] {
  const needs = Object.values(item.needs ?? {}).map((need) => need.from);
  return [...new Set([...(item.depends_on ?? []), ...needs])];
}

/** A plan with the edges its pattern adds: in a `pipeline`, an item that waits for nothing waits for the one before it (DI-201). */
export function withPatternEdges(plan: Plan): Plan {
  if (plan.pattern !== 'pipeline') return plan;
  const items = plan.items.map((item, i): PlanItem => {
    const before = plan.items[i - 1];
    return before === undefined || dependenciesOf(item).length > 0
      ? item
      : { ...item, depends_on: [before.id] };
  });
  return { ...plan, items };
}

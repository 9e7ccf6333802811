import type { PlanItem } from '@palisade/contracts';
import { dependenciesOf } from './plan-edges.ts';

/** One cycle as ids in order, or null. Kahn's algorithm, then a walk inside what is left. */
export function findCycle(
  items: readonly PlanItem[],
  ordinals: ReadonlyMap<string, number>,
): string[] | null {
  const dependencies = items.map((item) => dependenciesOf(item).flatMap((id) => ordinals.get(id) ?? []));
  const dependents: number[][] = items.map(() => []);
  const open = dependencies.map((list) => list.length);
  dependencies.forEach((list, i) => {
    for (const d of list) dependents[d]?.push(i);
  });
  const free = open.flatMap((count, i) => (count === 0 ? [i] : []));
  let sorted = 0;
  for (let next = free.pop(); next !== undefined; next = free.pop()) {
    sorted++;
    for (const dependent of dependents[next] ?? []) {
      const left = (open[dependent] ?? 0) - 1;
      open[dependent] = left;
      if (left === 0) free.push(dependent);
    }
  }
  if (sorted === items.length) return null;
  const seen = new Map<number, number>();
  const walk: number[] = [];
  let at = open.findIndex((count) => count > 0);
  while (!seen.has(at)) {
    seen.set(at, walk.length);
    walk.push(at);
    at = (dependencies[at] ?? []).find((d) => (open[d] ?? 0) > 0) ?? at;
  }
  return [...walk.slice(seen.get(at)), at].map((i) => items[i]?.id ?? '?');
}

/** A cycle in one line; a long one without its middle. */
export function describeCycle(cycle: readonly string[]): string {
  if (cycle.length <= 12) return cycle.join(' -> ');
  return `${cycle.slice(0, 6).join(' -> ')} -> … ${cycle.length - 12} more … -> ${cycle.slice(-6).join(' -> ')}`;
}

import type { ManifestInput } from '@palisade/contracts';
import type { FrozenItem } from '../plans/frozen-plan.ts';
import type { ItemFacts } from './item-facts.ts';
import type { PlanGraph } from './plan-graph.ts';

/** One product as an attempt gets it: applied to the workspace as part of the base, or a file at `inputs/<key>`. */
export type AttemptInput = ManifestInput;

/**
 * The products an item is given, in order. Applied patches come first and carry what they were made
 * on: if B builds on A's patch and C on B's, C's base is A's patch and then B's. An item that starts whatever
 * became of its dependencies gets the products of those that are `done`. Returns the reason as text when a
 * product that is needed does not exist (DI-172), or too few of its dependencies are `done`.
 */
export function inputsOf(
  graph: PlanGraph,
  item: FrozenItem,
  factsOf: (ordinal: number) => ItemFacts,
): readonly AttemptInput[] | string {
  const isDone = (id: string): boolean => factsOf(graph.ordinal(id)).state === 'done';
  if (item.atLeastDone !== undefined) {
    const done = item.dependsOn.filter(isDone).length;
    if (done < item.atLeastDone)
      return `${done} of ${item.dependsOn.length} items it waited for are done, it needs ${item.atLeastDone}`;
  }
  const applied: AttemptInput[] = [];
  const seen = new Set<string>();
  // Iterative post-order walk: chains of hand-offs may be thousands deep.
  const stack: { readonly item: FrozenItem; next: number; readonly via: string | null }[] = [
    { item, next: 0, via: null },
  ];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const needs = top.item.needs.filter((need) => need.apply === true);
    const need = needs[top.next++];
    if (need !== undefined) {
      if (!seen.has(need.from)) {
        seen.add(need.from);
        stack.push({ item: graph.item(graph.ordinal(need.from)), next: 0, via: need.key });
      }
      continue;
    }
    stack.pop();
    if (top.via === null) break;
    const ref = factsOf(graph.ordinal(top.item.id)).product?.result_ref;
    // An item that changed nothing hands on an unchanged base, and so does one that did not end well.
    if (ref !== undefined && isDone(top.item.id))
      applied.push({
        select: { kind: 'patch' },
        key: stack.length === 1 ? top.via : top.item.id,
        from: top.item.id,
        ref,
        applied: true,
      });
  }
  const files: AttemptInput[] = item.inputRefs.map(({ key, ref }) => ({ key, ref, applied: false }));
  for (const need of item.needs) {
    if (need.apply === true || (item.atLeastDone !== undefined && !isDone(need.from))) continue;
    const product = factsOf(graph.ordinal(need.from)).product;
    const { select } = need;
    const ref =
      select.kind === 'patch'
        ? product?.result_ref
        : product?.outputs?.find((output) => output.path === select.path)?.ref;
    if (ref === undefined) {
      return select.kind === 'patch'
        ? `item ${need.from} left no patch for input ${need.key}`
        : `item ${need.from} left no output ${select.path} for input ${need.key}: it has to write outputs/${select.path}`;
    }
    files.push({ key: need.key, from: need.from, select, ref, applied: false });
  }
  return [...applied, ...files];
}

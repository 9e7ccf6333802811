import { limits, type PlanItem } from '@palisade/contracts';
import { foreignName } from './output/foreign-text.ts';
import { count } from './output/time.ts';
import type { CheckedPlan } from './plan-file.ts';

/** What an item may make the run come to have, in words: one line for what happens, each with when it does. */
export interface PossibleGrowth {
  readonly item: string;
  readonly rule: 'gate' | 'mapReduce' | 'quorum' | 'spawn';
  readonly says: readonly string[];
}

/** How a plan's run may grow from within; empty for one whose items are all there will be. */
export function possibleGrowth({ items }: CheckedPlan): readonly PossibleGrowth[] {
  const splitters = items.filter((item) => item.inputs?.mapReduce !== undefined).length;
  return items.flatMap((item) => growthOf(item, splitters > 1) ?? []);
}

/** Items the run may come to have; null when nothing makes it grow. */
export function growthBound(plan: CheckedPlan): number | null {
  const grows = plan.open_ended === true || possibleGrowth(plan).length > 0;
  if (!grows) return null;
  return plan.max_items ?? Math.min(limits.planItems, plan.items.length + limits.grownItems);
}

function growthOf(item: PlanItem, isPrefixed: boolean): PossibleGrowth | null {
  const { id } = item;
  const { gate, mapReduce, quorum, spawn } = item.inputs ?? {};
  if (gate?.onRed === 'spawn-fix') {
    const { subject, fixTemplate, maxFixAttempts: most = 1 } = gate;
    if (fixTemplate === undefined || subject === undefined)
      return { item: id, rule: 'gate', says: ['if red: what waits for it is skipped'] };
    return {
      item: id,
      rule: 'gate',
      says: [
        `if red: ${id}-fix-1 on the patch of ${subject}, then ${id}~2 and all else behind ${subject} again; at most ${times(most)}`,
      ],
    };
  }
  if (mapReduce !== undefined) {
    const named = (name: string) => (isPrefixed ? `${id}::${name}` : name);
    const { reduce, minDone, onFailure } = mapReduce;
    const enough = minDone ?? (onFailure === 'reduce-done' ? 1 : null);
    const of = enough === null ? 'all of them' : `those that are done, at least ${enough}`;
    return {
      item: id,
      rule: 'mapReduce',
      says: [
        `then: ${named('map-<output>')} for each of its outputs`,
        ...(reduce === undefined ? [] : [`then: ${named('reduce')} of ${of}`]),
      ],
    };
  }
  if (quorum !== undefined) {
    const { reviewers, threshold, commit, onReject, maxRounds = 1 } = quorum;
    const names = reviewers.length === 1 ? `${id}::rev-1` : `${id}::rev-1 to rev-${reviewers.length}`;
    return {
      item: id,
      rule: 'quorum',
      says: [
        `then: ${names} review its patch`,
        `with ${count(threshold, 'approval')}: ${commit === undefined ? 'it stands' : `${id}::commit`}`,
        onReject === 'spawn-fix'
          ? `else: ${id}-fix-1, reviewed in its turn; at most ${times(maxRounds)}`
          : 'else: the run fails',
      ],
    };
  }
  if (spawn !== undefined) {
    const says = [
      `then: at most ${count(spawn.max ?? 20, 'item')} ${id}::<id>, as ${foreignName(spawn.from)} lists them`,
    ];
    return {
      item: id,
      rule: 'spawn',
      says: [...says, ...(spawn.join === undefined ? [] : [`then: ${id}::join`])],
    };
  }
  return null;
}

function times(n: number): string {
  return n === 1 ? 'once' : `${n} times`;
}

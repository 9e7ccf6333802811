import { faultPoint, isPalisadeError, ITEM_TERMINAL, truncateText } from '@palisade/contracts';
import type { WriteTx } from '@palisade/kernel';
import { runStream } from '@palisade/runs';
import { extendRun } from '../growth/growth-gate.ts';
import type { Grown, GrowthMaterial, RunSight, SeenItem } from '../growth/growth-rule.ts';
import { maxItemsOf } from '../plans/frozen-plan.ts';
import { lastRequest } from '../requests/request-store.ts';
import { cancelItem } from './settle.ts';
import { markGrowthFault, markSettled } from './item-store.ts';
import { FRESH } from './item-facts.ts';
import type { FrozenItem } from '../plans/frozen-plan.ts';
import type { PlanGraph } from './plan-graph.ts';
import type { Stage } from './stage.ts';
import type { StepInput } from './step-types.ts';

const FAULT_CHARS = 500;

/**
 * Asks the rules of what ended in this step and lets the run grow by what they answer (DI-200), in the
 * unit of work that commits the ends. A rule that cannot do what the plan asked for, or asks for more than
 * the gate lets through, leaves its reason on the item: the run cannot end well any more, and what else
 * there is of it goes on. True when there are parts now that the run's graph does not know yet.
 */
export async function growFromWithin(tx: WriteTx, input: StepInput, stage: Stage): Promise<boolean> {
  const { run, graph } = input;
  const made = new Map<string, SeenItem>();
  let hasGrown = false;
  for (const i of stage.ended) {
    const ended = seen(graph, stage, i);
    for (const owner of ownersOf(graph, stage, ended)) {
      const rule = owner.item.growth;
      if (rule === undefined) continue;
      const material: GrowthMaterial = input.materials.get(i) ?? {};
      const answer = input.ruleOf(rule.kind)(owner.item, ended, sightOf(graph, stage, made), material);
      if (answer === null) continue;
      const fault =
        'refused' in answer ? answer.refused : await apply(tx, input, stage, i, owner.item, answer, made);
      for (const id of answer.withdraws ?? []) await askNoMore(tx, input, stage, graph.ordinal(id));
      if (fault === null) {
        if (!('refused' in answer) && answer.items.length > 0) hasGrown = true;
        continue;
      }
      const reason = truncateText(fault, FAULT_CHARS);
      stage.set(i, { growthFault: reason });
      await markGrowthFault(tx, run.id, i, reason);
      await tx.journal.append(runStream(run.id), 'item.growth_refused', { item: ended.item.id, reason });
    }
  }
  if (hasGrown) faultPoint('grow.before-commit');
  return hasGrown;
}

/** Nothing depends on this approval any more. What was decided already is a fact of the ledger, and counts as it was decided. */
async function askNoMore(tx: WriteTx, input: StepInput, stage: Stage, i: number): Promise<void> {
  const { run, graph } = input;
  if (ITEM_TERMINAL.has(stage.facts(i).state)) return;
  const request = await lastRequest(tx, run.id, graph.item(i).id);
  if (request === undefined || request.outcome === null)
    await cancelItem(tx, input, stage, i, 'its round of reviews is decided');
}

/** Grows the run by one answer, or says why it cannot. */
async function apply(
  tx: WriteTx,
  { run, graph }: StepInput,
  stage: Stage,
  cause: number,
  owner: FrozenItem,
  { items, settles }: Grown,
  made: Map<string, SeenItem>,
): Promise<string | null> {
  const { id } = graph.item(cause);
  try {
    if (items.length > 0) {
      const find = (other: string) =>
        graph.has(other) ? graph.item(graph.ordinal(other)) : made.get(other)?.item;
      const has = (other: string) => graph.has(other) || made.has(other);
      await extendRun(
        tx,
        { run, has, find, maxItems: maxItemsOf(graph.plan) },
        { schemaVersion: 1, agents: {}, items },
        { actor: graph.addedBy(graph.ordinal(owner.id)) ?? run.actor, item: id },
      );
      for (const item of items) if (!made.has(item.id)) made.set(item.id, { item, facts: FRESH });
    }
  } catch (error) {
    // The gate refuses before it writes anything.
    if (
      isPalisadeError(error, 'too_large') ||
      isPalisadeError(error, 'already_exists') ||
      isPalisadeError(error, 'invalid_plan')
    )
      return error.message;
    throw error;
  }
  for (const { item, by } of settles) {
    const fresh = made.get(item);
    if (fresh === undefined) stage.set(graph.ordinal(item), { settledBy: by });
    else made.set(item, { ...fresh, facts: { ...fresh.facts, settledBy: by } });
    await markSettled(tx, run.id, item, by);
    await tx.journal.append(runStream(run.id), 'item.settled', { item, by });
  }
  return null;
}

/** The item itself and the one that made it. */
function ownersOf(graph: PlanGraph, stage: Stage, ended: SeenItem): SeenItem[] {
  const { grownBy } = ended.item;
  if (grownBy === undefined || !graph.has(grownBy)) return [ended];
  return [ended, seen(graph, stage, graph.ordinal(grownBy))];
}

/** What there is, with what this unit of work has made so far. */
function sightOf(graph: PlanGraph, stage: Stage, made: ReadonlyMap<string, SeenItem>): RunSight {
  return {
    find: (id) => {
      if (graph.has(id)) return seen(graph, stage, graph.ordinal(id));
      return made.get(id);
    },
    dependents: (id) =>
      graph.has(id) ? graph.dependents(graph.ordinal(id)).map((d) => seen(graph, stage, d)) : [],
  };
}

function seen(graph: PlanGraph, stage: Stage, i: number): SeenItem {
  return { item: graph.item(i), facts: stage.facts(i) };
}

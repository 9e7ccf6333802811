import type { ApprovalSettings, PlanItem, PlanTemplate } from '@palisade/contracts';
import { approvalTemplate } from './freeze-approval.ts';
import { grownName } from '../growth/grown-name.ts';
import type { WorkFreezer } from './freeze-work.ts';
import type { FrozenGrowth, ItemTemplate } from './frozen-plan.ts';

/** Rounds and items where a rule of the plan says nothing (DI-201, DI-203). */
const DEFAULT_ROUNDS = 1;
const DEFAULT_SPAWNED = 20;

/**
 * The rule by which an item makes the run grow, with its templates resolved like items (DI-200): nothing
 * registered meanwhile changes what they become. Undefined when it has none, or when a template has an issue.
 *
 * @param isOnlySplitter whether its maps can be called `map-<key>` without an addition
 */
export async function freezeGrowth(
  freezer: WorkFreezer,
  item: PlanItem,
  at: string,
  isOnlySplitter: boolean,
): Promise<FrozenGrowth | undefined> {
  const { gate, mapReduce, quorum, spawn } = item.inputs ?? {};
  const missing: string[] = [];
  const template = async (work: PlanTemplate, part: string, place: string): Promise<ItemTemplate> => {
    const frozen = await freezer.freeze(work, grownName(item.id, `:${part}`), `${at}.inputs.${place}`);
    if (frozen === undefined) missing.push(place);
    return frozen as ItemTemplate;
  };
  const optional = async (work: PlanTemplate | undefined, part: string, place: string) =>
    work === undefined ? undefined : template(work, part, place);
  let growth: FrozenGrowth | undefined;
  if (gate !== undefined) {
    const fix = await optional(gate.fixTemplate, 'fix', 'gate.fixTemplate');
    growth = {
      kind: 'gate',
      onRed: gate.onRed,
      ...(gate.subject === undefined ? {} : { subject: gate.subject }),
      ...(fix === undefined ? {} : { fix }),
      maxFixAttempts: gate.maxFixAttempts ?? DEFAULT_ROUNDS,
    };
  } else if (mapReduce !== undefined) {
    const { map, reduce } = mapReduce;
    const reduction = await optional(reduce, 'reduce', 'mapReduce.reduce');
    growth = {
      kind: 'map-reduce',
      map: await template(map, 'map', 'mapReduce.map'),
      needsKey: map.needsKey ?? 'input',
      outputPath: map.outputPath ?? 'result',
      ...(reduction === undefined ? {} : { reduce: reduction }),
      keyPrefix: reduce?.keyPrefix ?? 'part',
      minDone: mapReduce.minDone ?? (mapReduce.onFailure === 'reduce-done' ? 1 : null),
      ...(isOnlySplitter ? {} : { isPrefixed: true as const }),
    };
  } else if (quorum !== undefined) {
    const reviewers: ItemTemplate[] = [];
    for (const [i, reviewer] of quorum.reviewers.entries())
      reviewers.push(
        reviewer.approval === undefined
          ? await template(reviewer, `rev-${i + 1}`, `quorum.reviewers[${i}]`)
          : approvalTemplate(reviewer, secondPerson(reviewer.approval), freezer.sandbox),
      );
    const commit = await optional(quorum.commit, 'commit', 'quorum.commit');
    const fix = await optional(quorum.fixTemplate, 'fix', 'quorum.fixTemplate');
    growth = {
      kind: 'quorum',
      reviewers,
      threshold: quorum.threshold,
      ...(commit === undefined ? {} : { commit }),
      onReject: quorum.onReject ?? 'block',
      ...(fix === undefined ? {} : { fix }),
      maxRounds: quorum.maxRounds ?? DEFAULT_ROUNDS,
    };
  } else if (spawn !== undefined) {
    const join = await optional(spawn.join, 'join', 'spawn.join');
    growth = {
      kind: 'spawn',
      from: spawn.from,
      template: await template(spawn.template, 'spawned', 'spawn.template'),
      max: spawn.max ?? DEFAULT_SPAWNED,
      ...(join === undefined ? {} : { join }),
    };
  }
  return missing.length === 0 ? growth : undefined;
}

/** A person's place among reviewers asks for four eyes unless the plan says otherwise (DI-203). */
function secondPerson(approval: ApprovalSettings): ApprovalSettings {
  return { ...approval, four_eyes: approval.four_eyes ?? true };
}

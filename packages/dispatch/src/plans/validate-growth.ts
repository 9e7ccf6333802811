import {
  type GateRule,
  type MapReduceRule,
  type PlanItem,
  type PlanTemplate,
  type QuorumRule,
  type ReviewerTemplate,
  type SpawnRule,
} from '@palisade/contracts';
import type * as z from 'zod';
import { checkDataEdge, type PlanChecks } from '../shapes/data-edges.ts';
import { dependenciesOf } from './plan-edges.ts';
import { isApproval } from './validate-approval.ts';
import { blocksOf, checkPath, checkWork, leavesNo } from './validate-work.ts';

/** Steps that all searches for the subjects of gates may take together; a plan of any use needs few. */
const SEARCH_STEPS = 2_000_000;

/** What the checks of growth know of the plan. */
export interface GrowthPlace extends PlanChecks {
  readonly item: PlanItem;
  readonly at: string;
  readonly items: readonly PlanItem[];
  readonly find: (id: string) => PlanItem | undefined;
  /** Items there are besides those of the plan. */
  readonly known: ReadonlySet<string>;
  readonly suggest: (id: string) => string;
}

/**
 * Checks the rules by which items grow, with their templates: the same for the plan of a run and for what is
 * added to it (DI-200 … DI-203). Places are `<item>.inputs.<rule>…`.
 */
export function checkGrowth(place: GrowthPlace, search: { steps: number }): void {
  const { inputs } = place.item;
  const rules = {
    gate: inputs?.gate,
    mapReduce: inputs?.mapReduce,
    quorum: inputs?.quorum,
    spawn: inputs?.spawn,
  };
  const named = Object.entries(rules).flatMap(([name, rule]) => (rule === undefined ? [] : [name]));
  if (named.length > 1)
    place.issues.push({
      path: `${place.at}.inputs`,
      message: `gives ${named.join(' and ')}: an item grows by one rule`,
    });
  if (rules.gate !== undefined) checkGate(place, rules.gate, search);
  if (rules.mapReduce !== undefined) checkMapReduce(place, rules.mapReduce);
  if (rules.quorum !== undefined) checkQuorum(place, rules.quorum);
  if (rules.spawn !== undefined) checkSpawn(place, rules.spawn);
}

function checkGate(place: GrowthPlace, rule: z.infer<typeof GateRule>, search: { steps: number }): void {
  const { item, at, find, known, suggest, issues } = place;
  const here = `${at}.inputs.gate`;
  const { subject, fixTemplate } = rule;
  if (rule.onRed === 'advance') {
    for (const key of ['subject', 'fixTemplate', 'maxFixAttempts'] as const)
      if (rule[key] !== undefined)
        issues.push({ path: `${here}.${key}`, message: 'nothing is made of it where onRed is advance' });
    return;
  }
  const pipeline = blocksOf(item);
  if (pipeline !== undefined && !pipeline.some((block) => block.kind === 'agent' || block.kind === 'script'))
    issues.push({ path: here, message: 'the pipeline runs nothing: this gate can never be red' });
  if (fixTemplate === undefined) {
    for (const key of ['subject', 'maxFixAttempts'] as const)
      if (rule[key] !== undefined)
        issues.push({ path: `${here}.${key}`, message: 'says nothing without a fixTemplate' });
    return;
  }
  checkFix(fixTemplate, `${here}.fixTemplate`, ['work', 'findings'], place);
  if (subject === undefined) {
    issues.push({ path: here, message: 'names no subject: a fix needs the item whose patch it builds on' });
    return;
  }
  const path = `${here}.subject`;
  const source = find(subject);
  if (source === undefined && !known.has(subject))
    issues.push({ path, message: `unknown item "${subject}"${suggest(subject)}` });
  else if (!isUpstream(item, subject, find, search))
    issues.push({
      path,
      message: `"${item.id}" does not wait for "${subject}", so it says nothing about it`,
    });
  else if (source !== undefined) checkPatch(source, fixTemplate, path, `${here}.fixTemplate`, place);
}

function checkMapReduce(place: GrowthPlace, rule: z.infer<typeof MapReduceRule>): void {
  const { item, at, issues, shapes } = place;
  const here = `${at}.inputs.mapReduce`;
  const { map, reduce } = rule;
  checkOutputs(item, here, place);
  checkTemplate(map, `${here}.map`, [map.needsKey ?? 'input'], place);
  checkDataEdge(item, map, `${here}.map.shape`, place);
  checkPath(map.outputPath ?? 'result', `${here}.map.outputPath`, issues);
  if (reduce !== undefined) {
    checkTemplate(reduce, `${here}.reduce`, [], place);
    checkDataEdge(map, reduce, `${here}.reduce.shape`, place);
    if (leavesNo(map, 'output', shapes))
      issues.push({ path: `${here}.map`, message: 'leaves no outputs, which the reduction needs' });
  }
  const policies = (['minDone', 'onFailure'] as const).filter((key) => rule[key] !== undefined);
  if (policies.length > 1)
    issues.push({ path: here, message: 'minDone and onFailure say the same: give one of them' });
  if (policies.length > 0 && reduce === undefined)
    issues.push({ path: `${here}.${policies[0]}`, message: 'says nothing without a reduction' });
}

function checkQuorum(place: GrowthPlace, rule: z.infer<typeof QuorumRule>): void {
  const { item, at, items, issues, shapes } = place;
  const here = `${at}.inputs.quorum`;
  const { reviewers, threshold, commit, fixTemplate } = rule;
  reviewers.forEach((reviewer, i) => {
    const reviewerAt = `${here}.reviewers[${i}]`;
    if (isApproval(reviewer, reviewerAt, items, issues)) checkHuman(reviewer, reviewerAt, place);
    else checkWork(reviewer, reviewerAt, place);
    checkGiven(reviewer, reviewerAt, ['work'], place);
    checkDataEdge(item, reviewer, `${reviewerAt}.shape`, place);
  });
  if (threshold > reviewers.length)
    issues.push({
      path: `${here}.threshold`,
      message: `${threshold} approvals can never come of ${reviewers.length} reviewers`,
    });
  if (leavesNo(item, 'patch', shapes))
    issues.push({ path: here, message: `"${item.id}" leaves no patch that could be reviewed` });
  if (commit !== undefined) {
    checkTemplate(commit, `${here}.commit`, ['work'], place);
    checkDataEdge(item, commit, `${here}.commit.shape`, place);
  }
  if ((rule.onReject ?? 'block') === 'block') {
    for (const key of ['fixTemplate', 'maxRounds'] as const)
      if (rule[key] !== undefined)
        issues.push({
          path: `${here}.${key}`,
          message: 'nothing is made of it where onReject is not spawn-fix',
        });
  } else if (fixTemplate === undefined)
    issues.push({ path: here, message: 'onReject is spawn-fix and there is no fixTemplate' });
  else {
    checkFix(fixTemplate, `${here}.fixTemplate`, ['work'], place);
    checkPatch(item, fixTemplate, here, `${here}.fixTemplate`, place);
  }
}

/** A person's place among the reviewers is for a person: silence fills it as little as a program does. */
function checkHuman({ approval }: ReviewerTemplate, at: string, { issues }: PlanChecks): void {
  if (approval?.on_expiry === 'approve')
    issues.push({
      path: `${at}.approval.on_expiry`,
      message: 'nobody would have reviewed it: only deny makes sense here',
    });
}

function checkSpawn(place: GrowthPlace, rule: z.infer<typeof SpawnRule>): void {
  const { item, at, issues } = place;
  const here = `${at}.inputs.spawn`;
  checkOutputs(item, here, place);
  checkPath(rule.from, `${here}.from`, issues);
  checkTemplate(rule.template, `${here}.template`, [], place);
  if (rule.join !== undefined) checkTemplate(rule.join, `${here}.join`, [], place);
}

/** A template like an item; what the rule hands it must not meet an input of its own. */
function checkTemplate(
  template: PlanTemplate,
  at: string,
  given: readonly string[],
  checks: PlanChecks,
): void {
  checkWork(template, at, checks);
  checkGiven(template, at, given, checks);
}

function checkGiven(
  template: PlanTemplate,
  at: string,
  given: readonly string[],
  { issues }: PlanChecks,
): void {
  for (const key of given)
    if (template.inputs?.inputRefs?.[key] !== undefined)
      issues.push({ path: `${at}.inputs.inputRefs.${key}`, message: `"${key}" is what the rule gives it` });
}

/** A fix is also told why it is wanted, in its input. */
function checkFix(template: PlanTemplate, at: string, given: readonly string[], checks: PlanChecks): void {
  const { issues } = checks;
  checkTemplate(template, at, given, checks);
  const input = template.inputs?.workerInput;
  if (input !== undefined && (typeof input !== 'object' || input === null || Array.isArray(input)))
    issues.push({
      path: `${at}.inputs.workerInput`,
      message: 'has to be an object: the reason for the fix is put into it',
    });
}

function checkPatch(
  subject: PlanItem,
  fix: PlanTemplate,
  at: string,
  fixAt: string,
  checks: PlanChecks,
): void {
  const { issues, shapes } = checks;
  if (leavesNo(subject, 'patch', shapes))
    issues.push({ path: at, message: `"${subject.id}" leaves no patch that a fix could build on` });
  if (leavesNo(fix, 'patch', shapes))
    issues.push({ path: fixAt, message: 'leaves no patch: nothing would be fixed' });
  checkDataEdge(subject, fix, `${fixAt}.shape`, checks);
}

function checkOutputs(item: PlanItem, at: string, { shapes, issues }: PlanChecks): void {
  if (leavesNo(item, 'output', shapes))
    issues.push({ path: at, message: `"${item.id}" leaves no outputs that items could be made of` });
}

/** Whether an item waits for another, directly or through others: nearest first. */
function isUpstream(
  item: PlanItem,
  id: string,
  find: (id: string) => PlanItem | undefined,
  search: { steps: number },
): boolean {
  const seen = new Set<string>();
  let line = dependenciesOf(item);
  while (line.length > 0) {
    const next: string[] = [];
    for (const at of line) {
      if (at === id) return true;
      if (seen.has(at) || search.steps++ > SEARCH_STEPS) continue;
      seen.add(at);
      const found = find(at);
      if (found !== undefined) next.push(...dependenciesOf(found));
    }
    line = next;
  }
  return false;
}

import {
  canonicalJson,
  didYouMean,
  type InputIssue,
  isPalisadeError,
  limits,
  outputsBytes,
  Plan,
  type PlanItem,
  zodIssues,
} from '@palisade/contracts';
import { checkDataEdge, type PlanChecks } from '../shapes/data-edges.ts';
import type { ShapeCatalogue } from '../shapes/shape-catalogue.ts';
import { describeCycle, findCycle } from './plan-cycle.ts';
import { dependenciesOf, withPatternEdges } from './plan-edges.ts';
import { planWarnings } from './plan-warnings.ts';
import { checkAnswerKeys, isApproval } from './validate-approval.ts';
import { checkGrowth } from './validate-growth.ts';
import { checkPath, checkWork, leavesNo } from './validate-work.ts';

/** Issues that get a guess of what was meant. */
const GUESSES = 20;
/** Issues that are told; what is beyond is counted. */
const TOLD = 200;

const NONE: ReadonlySet<string> = new Set();

/** A plan that may be admitted, or every problem it has, each with its place (DI-163). */
export type ValidatedPlan =
  | {
      readonly ok: true;
      readonly plan: Plan;
      readonly issues: readonly [];
      readonly warnings: readonly InputIssue[];
    }
  | { readonly ok: false; readonly issues: readonly InputIssue[] };

/**
 * Checks a plan's shape and graph, collecting every problem: duplicate ids, unknown references,
 * contradictory ways to name an agent, cycles. Iterative, so that depth is no danger. Facts outside
 * the plan (agents, queues, executors exist) are checked when it is admitted.
 *
 * @param shapes what items and templates can name as their shape
 * @param known items there are besides those of the plan, which they may depend on
 */
export function validatePlanShape(
  value: unknown,
  shapes: ShapeCatalogue,
  known: ReadonlySet<string> = NONE,
): ValidatedPlan {
  const fault = canonicalFault(value);
  if (fault !== null) return { ok: false, issues: [{ path: '(top)', message: fault }] };
  const parsed = Plan.safeParse(value);
  if (!parsed.success) return { ok: false, issues: told(zodIssues(parsed.error, { schema: Plan, value })) };
  const issues: InputIssue[] = [];
  const plan = withPatternEdges(parsed.data);
  const ordinals = new Map<string, number>();
  plan.items.forEach((item, i) => {
    const earlier = ordinals.get(item.id);
    if (earlier === undefined) ordinals.set(item.id, i);
    else
      issues.push({ path: `items[${i}].id`, message: `"${item.id}" is already the id of items[${earlier}]` });
  });
  plan.items.forEach((item, i) =>
    checkItem(item, `items[${i}]`, ordinals, known, plan.items, { shapes, issues }),
  );
  const search = { steps: 0 };
  const find = (id: string) => plan.items[ordinals.get(id) ?? -1];
  const suggest = (id: string) => suggestion(id, ordinals, issues);
  plan.items.forEach((item, i) =>
    checkGrowth({ item, at: `items[${i}]`, items: plan.items, find, known, suggest, shapes, issues }, search),
  );
  if (plan.max_items !== undefined && plan.max_items < plan.items.length)
    issues.push({ path: 'max_items', message: `is less than the ${plan.items.length} items of the plan` });
  checkNeededOutputs(plan.items, issues);
  if (issues.length === 0) {
    const cycle = findCycle(plan.items, ordinals);
    if (cycle !== null)
      issues.push({ path: 'items', message: `dependencies form a cycle: ${describeCycle(cycle)}` });
  }
  return issues.length === 0
    ? { ok: true, plan, issues: [], warnings: planWarnings(plan) }
    : { ok: false, issues: told(issues) };
}

function told(issues: readonly InputIssue[]): readonly InputIssue[] {
  if (issues.length <= TOLD) return issues;
  return [...issues.slice(0, TOLD), { path: '(top)', message: `and ${issues.length - TOLD} more` }];
}

/** Why a value has no canonical form, or null: its depth is bounded before anything recursive sees it. */
function canonicalFault(value: unknown): string | null {
  try {
    canonicalJson(value);
    return null;
  } catch (error) {
    if (isPalisadeError(error, 'not_canonical')) return error.message;
    throw error;
  }
}

function checkItem(
  item: PlanItem,
  at: string,
  ordinals: ReadonlyMap<string, number>,
  known: ReadonlySet<string>,
  items: readonly PlanItem[],
  checks: PlanChecks,
): void {
  const { issues, shapes } = checks;
  if (!isApproval(item, at, items, issues)) checkWork(item, at, checks);
  checkAnswerKeys(item, at, issues);
  (item.depends_on ?? []).forEach((id, i) => {
    if (!ordinals.has(id) && !known.has(id))
      issues.push({
        path: `${at}.depends_on[${i}]`,
        message: `unknown item "${id}"${suggestion(id, ordinals, issues)}`,
      });
  });
  for (const [key, need] of Object.entries(item.needs ?? {})) {
    const place = `${at}.needs.${key}`;
    const source = ordinals.get(need.from);
    if (source === undefined && !known.has(need.from))
      issues.push({
        path: `${place}.from`,
        message: `unknown item "${need.from}"${suggestion(need.from, ordinals, issues)}`,
      });
    if (need.apply === true && need.select.kind !== 'patch')
      issues.push({ path: `${place}.apply`, message: 'only a patch can be applied' });
    if (need.select.kind === 'output') checkPath(need.select.path, `${place}.select.path`, issues);
    const from = source === undefined ? undefined : items[source];
    if (from === undefined) continue;
    const what = need.select.kind;
    if (leavesNo(from, what, shapes))
      issues.push({
        path: `${place}.select`,
        message: `item "${need.from}" leaves no ${what === 'patch' ? 'patch' : 'outputs'}: its pipeline or its shape captures none`,
      });
    checkDataEdge(from, item, place, checks);
  }
  const { start_when: startWhen, at_least_done: atLeast } = item;
  if (atLeast !== undefined) {
    const waits = dependenciesOf(item).length;
    const path = `${at}.at_least_done`;
    if (startWhen !== 'dependencies_ended')
      issues.push({ path, message: 'says nothing unless start_when is dependencies_ended' });
    else if (atLeast > waits)
      issues.push({ path, message: `"${item.id}" waits for ${waits}: ${atLeast} of them can never be done` });
  }
}

/** What items need of one item has to fit in the record of its product, which evidence is checked against. */
function checkNeededOutputs(items: readonly PlanItem[], issues: InputIssue[]): void {
  const needed = new Map<string, { readonly paths: Set<string>; bytes: number }>();
  for (const [i, item] of items.entries()) {
    for (const [key, { from, select }] of Object.entries(item.needs ?? {})) {
      if (select.kind !== 'output') continue;
      const found = needed.get(from) ?? { paths: new Set(), bytes: 0 };
      needed.set(from, found);
      if (found.paths.has(select.path)) continue;
      found.paths.add(select.path);
      found.bytes += outputsBytes([select.path]);
      if (found.paths.size <= limits.outputEntries && found.bytes <= limits.neededOutputBytes) continue;
      issues.push({
        path: `items[${i}].needs.${key}`,
        message: `too many or too long outputs of "${from}" are needed: at most ${limits.outputEntries}, with names that fit in ${limits.neededOutputBytes} bytes`,
      });
      return;
    }
  }
}

/** A guess helps with the first mistakes; for thousands it would only cost time. */
function suggestion(
  id: string,
  ordinals: ReadonlyMap<string, number>,
  issues: readonly InputIssue[],
): string {
  return issues.length < GUESSES ? didYouMean(id, ordinals.keys()) : '';
}

import {
  assertSafePath,
  canonicalJson,
  type InputIssue,
  isPalisadeError,
  limits,
  outputsBytes,
  Plan,
  type PlanItem,
  zodIssues,
} from '@palisade/contracts';

/** Issues that get a guess of what was meant. */
const GUESSES = 20;

const NONE: ReadonlySet<string> = new Set();

/** A plan that may be admitted, or every problem it has, each with its place (DI-163). */
export type ValidatedPlan =
  | { readonly ok: true; readonly plan: Plan; readonly issues: readonly [] }
  | { readonly ok: false; readonly issues: readonly InputIssue[] };

/**
 * Checks a plan's shape and graph, collecting every problem: duplicate ids, unknown references,
 * contradictory ways to name an agent, cycles. Iterative, so that depth is no danger. Facts outside
 * the plan (agents, queues, executors exist) are checked when it is admitted.
 *
 * @param known items there are besides those of the plan, which they may depend on
 */
export function validatePlanShape(value: unknown, known: ReadonlySet<string> = NONE): ValidatedPlan {
  const fault = canonicalFault(value);
  if (fault !== null) return { ok: false, issues: [{ path: '(top)', message: fault }] };
  const parsed = Plan.safeParse(value);
  if (!parsed.success) return { ok: false, issues: zodIssues(parsed.error) };
  const issues: InputIssue[] = [];
  const plan = parsed.data;
  const ordinals = new Map<string, number>();
  plan.items.forEach((item, i) => {
    const earlier = ordinals.get(item.id);
    if (earlier === undefined) ordinals.set(item.id, i);
    else
      issues.push({ path: `items[${i}].id`, message: `"${item.id}" is already the id of items[${earlier}]` });
  });
  plan.items.forEach((item, i) => checkItem(item, `items[${i}]`, ordinals, known, plan.items, issues));
  checkNeededOutputs(plan.items, issues);
  if (issues.length === 0) {
    const cycle = findCycle(plan.items, ordinals);
    if (cycle !== null)
      issues.push({ path: 'items', message: `dependencies form a cycle: ${describeCycle(cycle)}` });
  }
  return issues.length === 0 ? { ok: true, plan, issues: [] } : { ok: false, issues };
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

/** Every item an item waits for: `depends_on` and the sources of `needs`, each once, in order (DI-161). */
export function dependenciesOf(item: PlanItem): string[] {
  const needs = Object.values(item.needs ?? {}).map((need) => need.from);
  return [...new Set([...(item.depends_on ?? []), ...needs])];
}

function checkItem(
  item: PlanItem,
  at: string,
  ordinals: ReadonlyMap<string, number>,
  known: ReadonlySet<string>,
  items: readonly PlanItem[],
  issues: InputIssue[],
): void {
  const ways = [
    item.command === undefined ? null : 'command',
    item.run === undefined ? null : 'run',
    item.agent === undefined ? null : 'agent',
    item.inputs?.subagent === undefined ? null : 'inputs.subagent',
  ].filter((way) => way !== null);
  if (ways.length === 0)
    issues.push({
      path: at,
      message: 'says nothing to run: give one of command, run, agent or inputs.subagent',
    });
  if (ways.length > 1)
    issues.push({ path: at, message: `gives ${ways.join(' and ')}: only one may say what to run` });
  if (item.run !== undefined && 'program' in item.run && item.run.program !== undefined)
    issues.push({
      path: `${at}.run.program`,
      message:
        'only a registered agent may name its program: a plan does not choose what of the machine is shown',
    });
  if (item.inputs?.capabilities !== undefined && item.inputs.addCapabilities !== undefined) {
    issues.push({
      path: `${at}.inputs`,
      message: 'capabilities replaces and addCapabilities appends: give one of them',
    });
  }
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
    if (source !== undefined && capturesNo(items[source], need.select.kind)) {
      issues.push({
        path: `${place}.select`,
        message: `item "${need.from}" has a pipeline that captures no ${need.select.kind === 'patch' ? 'patch' : 'outputs'}`,
      });
    }
  }
  const locks = item.resourceLocks ?? [];
  locks.forEach((key, i) => {
    if (locks.indexOf(key) !== i)
      issues.push({ path: `${at}.resourceLocks[${i}]`, message: `"${key}" is listed twice` });
  });
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

function checkPath(path: string, at: string, issues: InputIssue[]): void {
  try {
    assertSafePath(path);
  } catch (error) {
    issues.push({ path: at, message: error instanceof Error ? error.message : 'is not a safe path' });
  }
}

function capturesNo(item: PlanItem | undefined, kind: 'patch' | 'output'): boolean {
  const pipeline = item?.inputs?.pipeline;
  return (
    pipeline !== undefined &&
    !pipeline.some(
      (block) => block.kind === 'capture' && block.what === (kind === 'patch' ? 'patch' : 'outputs'),
    )
  );
}

/** One cycle as ids in order, or null. Kahn's algorithm, then a walk inside what is left. */
function findCycle(items: readonly PlanItem[], ordinals: ReadonlyMap<string, number>): string[] | null {
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

function describeCycle(cycle: readonly string[]): string {
  if (cycle.length <= 12) return cycle.join(' -> ');
  return `${cycle.slice(0, 6).join(' -> ')} -> … ${cycle.length - 12} more … -> ${cycle.slice(-6).join(' -> ')}`;
}

/** A guess helps with the first mistakes; for thousands it would only cost time. */
function suggestion(
  id: string,
  ordinals: ReadonlyMap<string, number>,
  issues: readonly InputIssue[],
): string {
  return issues.length < GUESSES ? nearest(id, ordinals.keys()) : '';
}

/** ` (did you mean "x"?)` when one known id is close, else nothing. */
export function nearest(id: string, known: Iterable<string>): string {
  let best: string | null = null;
  // A third of the letters may differ: with more, anything short resembles anything.
  let bestDistance = Math.max(1, Math.floor((id.length + 1) / 3)) + 1;
  let looked = 0;
  for (const candidate of known) {
    if (++looked > 500) break;
    const distance = editDistance(id, candidate, bestDistance);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = candidate;
    }
  }
  return best === null ? '' : ` (did you mean "${best}"?)`;
}

function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(substitution, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    previous = row;
  }
  return previous[b.length] ?? limit;
}

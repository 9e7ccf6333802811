import {
  type CallContext,
  canonicalJson,
  faultPoint,
  type extendRun as operation,
  PalisadeError,
  type Plan,
} from '@palisade/contracts';
import { answeredBefore, answerOnce, type ReadTx, receiptOf, rehearse, type WriteTx } from '@palisade/kernel';
import { closeRun, holdRun, type RootRun, readOpenness, resolveRun, runStream } from '@palisade/runs';
import type * as z from 'zod';
import { authorizeItems } from '../authority/authorize-items.ts';
import { DECIDED } from '../authority/effect-gate.ts';
import { type Extended, extendRun } from '../growth/growth-gate.ts';
import { type ItemRequest, requestsOfRun } from '../requests/request-store.ts';
import { type FrozenPart, type FrozenPlan, isolationOf, maxItemsOf } from './frozen-plan.ts';
import { assertMayExtend, assertOwnInputs } from './held-to-caller.ts';
import type { PlanDeps } from './plan-deps.ts';
import { freezePlan } from './plan-freeze.ts';
import { asksForIsolation } from './plan-templates.ts';
import { endedRun } from './ended-run.ts';
import { validatePlanShape } from './plan-validate.ts';
import { readPlan, readWholePlan } from './stored-plan.ts';

type Input = z.output<(typeof operation)['input']>;
type Output = z.output<(typeof operation)['output']>;

/**
 * Adds items to an open-ended run and closes it (DI-205), from any process at any moment. Once this has
 * answered, the items are part of the run: extensions follow each other in the order in which they were
 * answered, and an item that was added may be depended on by the next. Repeating an extension adds nothing.
 */
export async function extend(deps: PlanDeps, input: Input, context: CallContext): Promise<Output> {
  const receipt = receiptOf(context, 'runs.extend');
  const call = { receipt, request: input, dryRun: input.dry_run };
  const before = await answeredBefore<Output>(deps.database, call);
  if (before !== null) return before;
  const { run, plan, ids } = await deps.database.read(async (tx) => {
    const found = await resolveRun(tx, context.project, input.run);
    assertTakesMore(found, await readOpenness(tx, found.id));
    return { run: found, plan: await readPlan(tx, found), ids: await itemIds(tx, found.id) };
  });
  if ((input.items ?? []).length > 0) assertMayExtend(run, plan, context.caller);
  const part = await freezePart(deps, context, run, plan, ids, input.items ?? []);
  const restsOn = await authorizePart(deps, run, part, context.actor);
  const addition = { part, restsOn, isLast: input.close === true, actor: context.actor };
  const wish = (tx: WriteTx) => add(tx, run, plan, addition);
  if (input.dry_run === true) return rehearse(deps.database, wish);
  const result = await deps.database.write(async (tx) => {
    const answer = await answerOnce(tx, receipt, input, () => wish(tx));
    faultPoint('extend.before-commit');
    return answer;
  });
  faultPoint('extend.after-commit');
  deps.onControl(result.run_id);
  return result;
}

function assertTakesMore(run: RootRun, { isClosed }: { readonly isClosed: boolean }): void {
  if (!run.isOpenEnded)
    throw new PalisadeError('invalid_state', `run ${run.id} is not open-ended: its plan is all there is`, {
      next: 'state open_ended: true in the plan of a run that is to grow',
    });
  if (run.finishedAt !== null) throw endedRun(run);
  if (isClosed)
    throw new PalisadeError('invalid_state', `run ${run.id} is closed: nothing can be added to it any more`, {
      next: `palisade show ${run.id}`,
    });
}

/** The new items with every name resolved, as a plan's are, under what the run was admitted with. */
async function freezePart(
  deps: PlanDeps,
  context: CallContext,
  run: RootRun,
  base: FrozenPlan,
  ids: ReadonlySet<string>,
  items: readonly unknown[],
): Promise<FrozenPart> {
  if (items.length === 0) return { schemaVersion: 1, agents: {}, items: [] };
  const validated = validatePlanShape({ items }, deps.shapes, ids);
  if (!validated.ok)
    throw new PalisadeError('invalid_plan', 'the items cannot be added as they are', {
      issues: validated.issues,
    });
  const plan: Plan = validated.plan;
  deps.scanText(canonicalJson(plan), 'items');
  await assertOwnInputs(deps, plan, context);
  const isolation = isolationOf(base);
  if (isolation === 'unsandboxed-host' && asksForIsolation(plan))
    throw new PalisadeError(
      'requirements_unmet',
      `run ${run.id} uses the sandbox ${run.settings.sandbox}, which is no boundary, and the items require one`,
      { next: 'submit them as a plan of their own, with a sandbox that is one' },
    );
  const { agents, items: frozen } = await freezePlan(
    plan,
    deps.names(run.project),
    {
      sandbox: { name: run.settings.sandbox, isolation },
      allowNetwork: run.settings.allowNetwork,
      executors: deps.executors,
      shapes: deps.shapes,
      isQueue: async () => true,
      title: run.title,
    },
    ids,
  );
  return { schemaVersion: 1, agents, items: frozen };
}

/** Whether what is to be added may be done, by whoever adds it; returns what items that only a person can let through rest on. */
async function authorizePart(
  deps: PlanDeps,
  run: RootRun,
  part: FrozenPart,
  actor: string,
): Promise<Addition['restsOn']> {
  // Only what writes may need an approval that is in the run already.
  const mayNeed = part.items.some(({ shape }) => shape?.effect === 'write-impure');
  const there = mayNeed ? (await deps.database.read((tx) => readWholePlan(tx, run))).items : [];
  const all = [...there, ...part.items];
  const approvals = new Set(all.flatMap(({ id, approval }) => (approval === undefined ? [] : [id])));
  const isApproval = (id: string) => approvals.has(id);
  const wanted = { runId: run.id, actor, items: part.items, isApproval };
  const unapproved = new Set(await authorizeItems(deps.authority, wanted));
  const resting = part.items.filter(({ id }) => unapproved.has(id));
  return new Map(resting.map(({ id, dependsOn }) => [id, dependsOn.filter(isApproval)]));
}

/** What somebody adds. */
interface Addition {
  readonly part: FrozenPart;
  /** Of every item that only a person can let through, the approvals on which it directly depends. */
  readonly restsOn: ReadonlyMap<string, readonly string[]>;
  readonly isLast: boolean;
  readonly actor: string;
}

async function add(
  tx: WriteTx,
  run: RootRun,
  plan: FrozenPlan,
  { part, restsOn, isLast, actor }: Addition,
): Promise<Output> {
  const openness = await holdRun(tx, run.id, true);
  assertTakesMore(await resolveRun(tx, run.project, run.id), openness ?? { isClosed: true });
  const ids = await itemIds(tx, run.id);
  if (part.items.length > 0) {
    const requests = await requestsOfRun(tx, run.id);
    assertMayAdd(run, requests, actor);
    assertUndecided(part, requests, (id) => (ids.has(id) ? undefined : restsOn.get(id)));
  }
  // What is there is read only where a new item may be the same.
  const isRepeated = part.items.some(({ id }) => ids.has(id));
  const there = new Map(
    (isRepeated ? (await readWholePlan(tx, run)).items : []).map((item) => [item.id, item]),
  );
  const find = (id: string) => there.get(id);
  const growing = { run, has: (id: string) => ids.has(id), find, maxItems: maxItemsOf(plan) };
  const extended: Extended =
    part.items.length === 0
      ? { added: [], already: [] }
      : await extendRun(tx, growing, part, { actor, item: null });
  const closed = isLast && (await closeRun(tx, run.id));
  if (closed) await tx.journal.append(runStream(run.id), 'run.closed', { actor });
  return {
    run_id: run.id,
    added: [...extended.added],
    already: [...extended.already],
    items: ids.size + extended.added.length,
    closed,
  };
}

/** Whoever approved what wants a second person has been that person: what they add would have had one pair of eyes (DI-203). */
function assertMayAdd(run: RootRun, requests: readonly ItemRequest[], actor: string): void {
  for (const request of requests) {
    if (request.kind !== 'approval' || request.outcome !== 'approve' || request.actor !== actor) continue;
    if (request.manifest.four_eyes)
      throw new PalisadeError(
        'policy_denied',
        `nothing of ${actor} can be added to run ${run.id}: ${actor} was the second person who approved ${run.id}/${request.itemId}`,
        { next: 'have somebody else add it, or submit a run of its own' },
      );
  }
}

/** What rests on an approval alone is there before it is decided: nobody decided about what is added later (DI-193). */
function assertUndecided(
  { items }: FrozenPart,
  requests: readonly ItemRequest[],
  approvalsOf: (id: string) => readonly string[] | undefined,
): void {
  const decided = new Set(requests.flatMap(({ itemId, outcome }) => (outcome === null ? [] : [itemId])));
  const issues = items.flatMap(({ id }, i) =>
    approvalsOf(id)?.every((approval) => decided.has(approval)) === true
      ? [{ path: `items[${i}]`, message: DECIDED }]
      : [],
  );
  const [first] = issues;
  if (first === undefined) return;
  throw new PalisadeError('policy_denied', `${first.path}: ${first.message}`, {
    next: 'add an approval with them, on which they depend',
    issues,
  });
}

async function itemIds(tx: ReadTx, runId: string): Promise<Set<string>> {
  const rows = await tx.sql.all<{ item_id: string }>('SELECT item_id FROM plan_items WHERE run_id = ?', [
    runId,
  ]);
  return new Set(rows.map((row) => row.item_id));
}

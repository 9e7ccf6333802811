import {
  type CallContext,
  type EventView,
  type getArtifact,
  type getRun,
  invalidCursor,
  isHost,
  limits,
  type listEvents,
  type listProducts,
  type listRuns,
  noItems,
  PalisadeError,
  type ProductFacts,
} from '@palisade/contracts';
import { setTimeout as delay } from 'node:timers/promises';
import { ownProducts, listRootRuns, resolveRun, runStream } from '@palisade/runs';
import type * as z from 'zod';
import { itemViews } from './item-view.ts';
import type { PlanDeps } from './plan-deps.ts';
import { countItems, runView, workspaceView } from './run-view.ts';
import { planOrStandIn, readWholePlan } from './stored-plan.ts';

type In<Op extends { input: z.ZodType }> = z.output<Op['input']>;
type Out<Op extends { output: z.ZodType }> = z.output<Op['output']>;

const EVENT_POLL_MS = 50;

export async function list(
  deps: PlanDeps,
  input: In<typeof listRuns>,
  { project, caller }: CallContext,
): Promise<Out<typeof listRuns>> {
  const limit = input.limit ?? 50;
  return deps.database.read(async (tx) => {
    const before = input.cursor === undefined ? undefined : decodeCursor(input.cursor);
    const rows = await listRootRuns(tx, {
      project,
      limit: limit + 1,
      ...(before === undefined ? {} : { before }),
      ...(input.state === undefined ? {} : { states: input.state }),
    });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const data = [];
    for (const run of page) data.push(await runView(tx, run, await countItems(tx, run.id), caller));
    const hasMore = rows.length > limit;
    return {
      data,
      has_more: hasMore,
      ...(hasMore && last !== undefined ? { next_cursor: `${last.submittedAt}.${last.id}` } : {}),
    };
  });
}

function decodeCursor(cursor: string): { readonly submittedAt: number; readonly id: string } {
  const at = cursor.indexOf('.');
  const submittedAt = Number(cursor.slice(0, at));
  if (at <= 0 || !Number.isSafeInteger(submittedAt)) throw invalidCursor();
  return { submittedAt, id: cursor.slice(at + 1) };
}

export async function get(
  deps: PlanDeps,
  input: In<typeof getRun>,
  { project, caller }: CallContext,
): Promise<Out<typeof getRun>> {
  return deps.database.read(async (tx) => {
    const run = await resolveRun(tx, project, input.run);
    const head = await tx.journal.head(runStream(run.id));
    if (input.items === 'none') {
      const view = await runView(tx, run, await countItems(tx, run.id), caller);
      return { run: view, items: [], last_seq: head.seq };
    }
    const { plan, damage } = await planOrStandIn(tx, run);
    const items = await itemViews(tx, run, plan);
    const counts = noItems();
    let cost: number | undefined;
    for (const item of items) {
      counts[item.state]++;
      const spent = item.product?.usage?.cost_usd;
      if (spent !== undefined) cost = (cost ?? 0) + spent;
    }
    return {
      run: {
        ...(cost === undefined ? {} : { cost_usd: cost }),
        ...(await runView(tx, run, counts, caller)),
        ...(damage === null || run.reason !== null ? {} : { reason: damage }),
      },
      items,
      last_seq: head.seq,
    };
  });
}

/**
 * Events after a position; with `wait_ms` the reply waits for the next one, so a follower neither misses nor repeats any. Nothing waits for
 * a caller who left, nor for a server that closes: what there is by then is answered.
 */
export async function events(
  deps: PlanDeps,
  input: In<typeof listEvents>,
  { project, signal }: Pick<CallContext, 'project' | 'signal'>,
): Promise<Out<typeof listEvents>> {
  const limit = input.limit ?? 1_000;
  const until = Date.now() + (input.wait_ms ?? 0);
  for (;;) {
    const page = await deps.database.read(async (tx) => {
      const run = await resolveRun(tx, project, input.run);
      const stream = runStream(run.id);
      const found = await tx.journal.read(stream, input.after_seq ?? -1, limit + 1);
      return { found, sealed: (await tx.journal.head(stream)).sealed };
    });
    if (page.found.length > 0 || page.sealed || Date.now() >= until || signal?.aborted === true) {
      const data = page.found.slice(0, limit).map((event) => ({
        seq: event.seq,
        type: event.type,
        at: event.at,
        data: event.data as EventView['data'],
        hash: event.hash,
      }));
      return { data, has_more: page.found.length > limit, sealed: page.sealed };
    }
    await delay(EVENT_POLL_MS, undefined, signal === undefined ? {} : { signal }).catch(() => {});
  }
}

/** Products in dependency order, so that applying them one after another is right. */
export async function products(
  deps: PlanDeps,
  input: In<typeof listProducts>,
  { project, caller }: CallContext,
): Promise<Out<typeof listProducts>> {
  return deps.database.read(async (tx) => {
    const run = await resolveRun(tx, project, input.run);
    const plan = await readWholePlan(tx, run);
    const rows = await tx.sql.all<{
      ordinal: number;
      state: string;
      product: string | null;
      settled_by: string | null;
    }>('SELECT ordinal, state, product, settled_by FROM plan_items WHERE run_id = ?', [run.id]);
    const byOrdinal = new Map(rows.map((row) => [row.ordinal, row]));
    for (const id of input.items ?? []) {
      if (!plan.items.some((item) => item.id === id))
        throw new PalisadeError('not_found', `run ${run.id} has no item ${id}`);
    }
    const data: Out<typeof listProducts>['data'] = [];
    for (const i of topologicalOrder(plan.items)) {
      const item = plan.items[i];
      const row = byOrdinal.get(i);
      if (
        item === undefined ||
        row === undefined ||
        (input.items !== undefined && !input.items.includes(item.id))
      )
        continue;
      const product: ProductFacts = row.product === null ? {} : (JSON.parse(row.product) as ProductFacts);
      data.push({
        item: item.id,
        state: row.state as Out<typeof listProducts>['data'][number]['state'],
        ...(product.result_ref === undefined ? {} : { result_ref: product.result_ref }),
        outputs: product.outputs ?? [],
        ...(row.settled_by === null ? {} : { settled_by: row.settled_by }),
        base_patches: item.needs.filter((need) => need.apply === true).map((need) => need.from),
      });
    }
    return { run_id: run.id, workspace: workspaceView(run, caller), data };
  });
}

/** Plan order, except that an item comes after everything it depends on. */
function topologicalOrder(
  items: readonly { readonly id: string; readonly dependsOn: readonly string[] }[],
): number[] {
  const ordinals = new Map(items.map((item, i) => [item.id, i]));
  const dependents: number[][] = items.map(() => []);
  const open = items.map((item) => item.dependsOn.length);
  items.forEach((item, i) => {
    for (const id of item.dependsOn) dependents[ordinals.get(id) ?? -1]?.push(i);
  });
  const order = open.flatMap((n, i) => (n === 0 ? [i] : []));
  for (let at = 0; at < order.length; at++) {
    for (const d of dependents[order[at] ?? -1] ?? []) {
      const left = (open[d] ?? 0) - 1;
      open[d] = left;
      if (left === 0) order.push(d);
    }
  }
  return order;
}

export async function artifact(
  deps: PlanDeps,
  input: In<typeof getArtifact>,
  { project, caller }: CallContext,
): Promise<Out<typeof getArtifact>> {
  const { ref, run, offset = 0, limit: length = limits.artifactPartBytes } = input;
  const runId =
    run === undefined ? undefined : (await deps.database.read((tx) => resolveRun(tx, project, run))).id;
  // Whoever holds the files could read them all by hand.
  if (!isHost(caller) && !(await ownProducts(deps.database, { project, runId }, [ref])).has(ref))
    throw new PalisadeError('not_found', `there is no ${ref}`);
  const { bytes, size } = await deps.blobs.part(ref, { offset, length });
  const end = offset + bytes.length;
  return {
    ref,
    size,
    offset,
    base64: bytes.toString('base64'),
    ...(end < size ? { next_offset: end } : {}),
  };
}

import { type ContentHash, PalisadeError } from '@palisade/contracts';
import type { Database, Lease, ReadTx, WriteTx } from '@palisade/kernel';
import { findRootRun, getDocument, listChildRuns, type RootRun } from '@palisade/runs';
import { waitingTickets } from '../locks/lock-store.ts';
import type { FrozenPlan } from '../plans/frozen-plan.ts';
import { inputsOf } from './attempt-inputs.ts';
import { loadItems } from './item-store.ts';
import { PlanGraph } from './plan-graph.ts';
import type { Doomed } from './step-types.ts';
import type { AttemptRef, Takeover } from './run-owner.ts';

export function runLease(runId: string): string {
  return `run:${runId}`;
}

/**
 * Takes the lease of an open run and reads its state under it. Null when somebody else owns it or it
 * has ended. An unexpired lease is taken over only from an owner that `isDead` proves gone.
 */
export async function takeRun(
  database: Database,
  runId: string,
  owner: string,
  leaseMs: number,
  isDead: (lease: Lease) => boolean,
): Promise<Takeover | null> {
  const resource = runLease(runId);
  const first = await database.write(async (tx) => {
    const lease = await tx.leases.claim(resource, owner, leaseMs);
    return lease === null
      ? { holder: await tx.leases.read(resource), taken: null }
      : { holder: null, taken: await takeOver(tx, runId, lease) };
  });
  const { holder, taken } = first;
  if (holder === null || !isDead(holder)) return taken;
  return database.write(async (tx) => {
    const lease = await tx.leases.claim(resource, owner, leaseMs, {
      owner: holder.owner,
      fence: holder.fence,
    });
    return lease === null ? null : takeOver(tx, runId, lease);
  });
}

/** Reads a run's state under its lease just claimed; gives the lease back when the run has ended. */
async function takeOver(tx: WriteTx, runId: string, lease: Lease): Promise<Takeover | null> {
  const run = await findRootRun(tx, runId);
  if (run === undefined || run.finishedAt !== null) {
    await tx.leases.release(lease);
    return null;
  }
  const plan = await readPlan(tx, run.planRef);
  const fresh = run.state === 'queued';
  const graph = new PlanGraph(plan, fresh ? new Map() : await loadItems(tx, runId));
  const tickets = fresh ? new Map<string, number>() : await waitingTickets(tx, runId);
  const running = plan.items.flatMap((_, i) => (graph.facts(i).state === 'running' ? [i] : []));
  return {
    run,
    lease,
    graph,
    tickets: new Map([...tickets].map(([id, ticket]) => [graph.ordinal(id), ticket])),
    used: running.length,
    doomed: unsettled(graph),
    ready: plan.items.flatMap((item, i) => {
      const { state } = graph.facts(i);
      const free = state === 'ready' || (state === 'pending' && graph.open(i) === 0);
      return free && !tickets.has(item.id) ? [i] : [];
    }),
    open: running.length === 0 ? [] : await openAttempts(tx, run, graph, running),
  };
}

/** Pending items right behind one that ended otherwise than `done`. */
function unsettled(graph: PlanGraph): Doomed[] {
  return graph.plan.items.flatMap((item, i) => {
    const { state } = graph.facts(i);
    if (state !== 'failed' && state !== 'canceled' && state !== 'skipped' && state !== 'denied') return [];
    return graph.dependents(i).map((ordinal) => ({ ordinal, because: item.id }));
  });
}

async function openAttempts(
  tx: ReadTx,
  run: RootRun,
  graph: PlanGraph,
  running: readonly number[],
): Promise<AttemptRef[]> {
  const children = new Map((await listChildRuns(tx, run.id)).map((child) => [child.id, child]));
  return running.map((ordinal) => {
    const facts = graph.facts(ordinal);
    const child = facts.childRunId === null ? undefined : children.get(facts.childRunId);
    if (child === undefined)
      throw new PalisadeError('internal', `item ${graph.item(ordinal).id} is running without an attempt`);
    const inputs = inputsOf(graph, graph.item(ordinal), (i) => graph.facts(i));
    return {
      run,
      graph,
      ordinal,
      childRunId: child.id,
      attempt: child.attempt,
      deadlineAt: child.deadlineAt,
      inputs: typeof inputs === 'string' ? [] : inputs,
    };
  });
}

/** A frozen plan, from its document. It was written by this program and is addressed by its content. */
export async function readPlan(tx: ReadTx, ref: ContentHash): Promise<FrozenPlan> {
  return JSON.parse(await getDocument(tx, ref)) as FrozenPlan;
}

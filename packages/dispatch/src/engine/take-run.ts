import { ITEM_TERMINAL, PalisadeError } from '@palisade/contracts';
import type { Database, Lease, ReadTx, WriteTx } from '@palisade/kernel';
import { findRootRun, listChildRuns, type RootRun } from '@palisade/runs';
import { EMPTY_ACCOUNT, readAccount } from '../flow/account.ts';
import { claimBefore } from '../flow/slot-store.ts';
import { noClaim } from '../flow/slots.ts';
import { waitingTickets } from '../locks/lock-store.ts';
import type { FrozenPart, FrozenPlan } from '../plans/frozen-plan.ts';
import { damageOf, readParts, readPlan, standInPlan } from '../plans/stored-plan.ts';
import { goesOnWith } from '../requests/goes-on-with.ts';
import { inputsOf } from './attempt-inputs.ts';
import type { AttemptRef } from './attempts-in-flight.ts';
import type { Doomed } from './item-facts.ts';
import { runLease } from './run-lease.ts';
import { loadItems } from './item-store.ts';
import { PlanGraph } from './plan-graph.ts';
import type { Takeover } from './takeover.ts';
import { troublesOf } from './trouble-store.ts';

/**
 * Takes the lease of an open run, reads its state under it and hands it to `own` in the same unit of
 * work. Null when somebody else owns it or it has ended. An unexpired lease is taken over only from
 * an owner that `isDead` proves gone.
 */
export async function takeRun<T>(
  database: Database,
  runId: string,
  owner: string,
  leaseMs: number,
  isDead: (lease: Lease) => boolean,
  own: (tx: WriteTx, taken: Takeover) => Promise<T>,
): Promise<T | null> {
  const resource = runLease(runId);
  const take = async (tx: WriteTx, lease: Lease): Promise<T | null> => {
    const taken = await takeOver(tx, runId, lease);
    return taken === null ? null : own(tx, taken);
  };
  const { holder, owned } = await database.write(async (tx) => {
    const lease = await tx.leases.claim(resource, owner, leaseMs);
    return lease === null
      ? { holder: await tx.leases.read(resource), owned: null }
      : { holder: null, owned: await take(tx, lease) };
  });
  if (holder === null || !isDead(holder)) return owned;
  return database.write(async (tx) => {
    const lease = await tx.leases.claim(resource, owner, leaseMs, {
      owner: holder.owner,
      fence: holder.fence,
    });
    return lease === null ? null : take(tx, lease);
  });
}

/** A run that is admitted in this very unit of work, under its lease just claimed. */
export function takeNew(run: RootRun, plan: FrozenPlan, lease: Lease): Takeover {
  const graph = new PlanGraph(plan, new Map());
  return {
    run,
    lease,
    graph,
    damage: null,
    tickets: new Map(),
    used: 0,
    account: EMPTY_ACCOUNT,
    claim: noClaim(run.submittedAt),
    troubled: [],
    doomed: [],
    ready: plan.items.flatMap((_, i) => (graph.open(i) === 0 ? [i] : [])),
    open: [],
  };
}

/**
 * Reads a run's state under its lease just claimed; gives the lease back when the run has ended. A run
 * whose state cannot be read is taken all the same, with the damage, so that it can be ended: nobody could
 * ever do it otherwise, and it would keep its locks and slots.
 */
async function takeOver(tx: WriteTx, runId: string, lease: Lease): Promise<Takeover | null> {
  const run = await findRootRun(tx, runId);
  if (run === undefined || run.finishedAt !== null) {
    await tx.leases.release(lease);
    return null;
  }
  try {
    return await stateOf(tx, run, lease, await readPlan(tx, run), await readParts(tx, run), null);
  } catch (error) {
    // A statement that failed fails every later one, and with them this unit of work: what comes through is about
    // what is stored.
    return stateOf(tx, run, lease, await standInPlan(tx, run), [], damageOf(error));
  }
}

async function stateOf(
  tx: WriteTx,
  run: RootRun,
  lease: Lease,
  plan: FrozenPlan,
  parts: readonly FrozenPart[],
  damage: string | null,
): Promise<Takeover> {
  const runId = run.id;
  const troubled = [...(await troublesOf(tx, runId)).keys()];
  if (run.state === 'queued' && damage === null && parts.length === 0)
    return { ...takeNew(run, plan, lease), troubled };
  const graph = new PlanGraph(plan, await loadItems(tx, runId), parts);
  // Without its plan nobody knows which locks an item waits for: all are released when the run ends.
  const tickets = damage === null ? await waitingTickets(tx, runId) : new Map<string, number>();
  const running = graph.items.flatMap((_, i) => (graph.facts(i).state === 'running' ? [i] : []));
  return {
    run,
    lease,
    graph,
    damage,
    tickets: new Map([...tickets].map(([id, ticket]) => [graph.ordinal(id), ticket])),
    used: running.length,
    account: await readAccount(tx, runId, graph),
    claim: { ...noClaim(tx.now), ...(await claimBefore(tx, run, runId, running.length > 0)) },
    troubled,
    doomed: unsettled(graph),
    ready: graph.items.flatMap((item, i) => {
      const { state } = graph.facts(i);
      const free = state === 'ready' || (state === 'pending' && graph.open(i) === 0);
      return free && !tickets.has(item.id) ? [i] : [];
    }),
    open: running.length === 0 ? [] : await openAttempts(tx, run, graph, running),
  };
}

/** Pending items right behind one whose end does not let them go on. */
function unsettled(graph: PlanGraph): Doomed[] {
  return graph.items.flatMap((item, i) => {
    const facts = graph.facts(i);
    if (!ITEM_TERMINAL.has(facts.state)) return [];
    return graph
      .dependents(i)
      .flatMap((ordinal) => (graph.frees(i, ordinal, facts) ? [] : [{ ordinal, because: item.id }]));
  });
}

async function openAttempts(
  tx: ReadTx,
  run: RootRun,
  graph: PlanGraph,
  running: readonly number[],
): Promise<AttemptRef[]> {
  const children = new Map((await listChildRuns(tx, run.id)).map((child) => [child.id, child]));
  const open: AttemptRef[] = [];
  for (const ordinal of running) {
    const facts = graph.facts(ordinal);
    const item = graph.item(ordinal);
    const child = facts.childRunId === null ? undefined : children.get(facts.childRunId);
    if (child === undefined)
      throw new PalisadeError('internal', `item ${item.id} is running without an attempt`);
    const inputs = inputsOf(graph, item, (i) => graph.facts(i));
    const agent = graph.agent(item.agent.hash);
    open.push({
      run,
      graph,
      ordinal,
      childRunId: child.id,
      attempt: child.attempt,
      deadlineAt: child.deadlineAt,
      inputs: typeof inputs === 'string' ? [] : inputs,
      ...(await goesOnWith(tx, run.id, item.id, agent, child.attempt)),
      // What is found again was given its own; its new owner hands all on to it.
      messages: [],
    });
  }
  return open;
}

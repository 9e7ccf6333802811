import { type ContentHash, PalisadeError } from '@palisade/contracts';
import type { Database, Lease, ReadTx } from '@palisade/kernel';
import { findRootRun, getDocument, listChildRuns } from '@palisade/runs';
import { waitingTickets } from '../locks/lock-store.ts';
import type { FrozenPlan } from '../plans/frozen-plan.ts';
import { inputsOf } from './attempt-inputs.ts';
import { loadItems } from './item-store.ts';
import { PlanGraph } from './plan-graph.ts';
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
  isDead: (lease: Lease) => Promise<boolean>,
): Promise<Takeover | null> {
  const holder = await database.read((tx) => readLease(tx, runLease(runId)));
  const dead =
    holder !== null && (await isDead(holder)) ? { owner: holder.owner, fence: holder.fence } : undefined;
  return database.write(async (tx) => {
    const lease = await tx.leases.claim(runLease(runId), owner, leaseMs, dead);
    if (lease === null) return null;
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
    const open: AttemptRef[] = [];
    if (running.length > 0) {
      const children = new Map((await listChildRuns(tx, runId)).map((child) => [child.id, child]));
      for (const ordinal of running) {
        const facts = graph.facts(ordinal);
        const child = facts.childRunId === null ? undefined : children.get(facts.childRunId);
        if (child === undefined)
          throw new PalisadeError('internal', `item ${graph.item(ordinal).id} is running without an attempt`);
        const inputs = inputsOf(graph, graph.item(ordinal), (i) => graph.facts(i));
        open.push({
          run,
          graph,
          ordinal,
          childRunId: child.id,
          attempt: child.attempt,
          deadlineAt: child.deadlineAt,
          inputs: typeof inputs === 'string' ? [] : inputs,
        });
      }
    }
    return {
      run,
      lease,
      graph,
      tickets: new Map([...tickets].map(([id, ticket]) => [graph.ordinal(id), ticket])),
      used: running.length,
      ready: plan.items.flatMap((item, i) => {
        const { state } = graph.facts(i);
        const free = state === 'ready' || (state === 'pending' && graph.open(i) === 0);
        return free && !tickets.has(item.id) ? [i] : [];
      }),
      open,
    };
  });
}

/** A frozen plan, from its document. It was written by this program and is addressed by its content. */
export async function readPlan(tx: ReadTx, ref: ContentHash): Promise<FrozenPlan> {
  return JSON.parse(await getDocument(tx, ref)) as FrozenPlan;
}

async function readLease(tx: ReadTx, resource: string): Promise<Lease | null> {
  return tx.leases.read(resource);
}

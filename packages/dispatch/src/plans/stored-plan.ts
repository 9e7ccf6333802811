import { isPalisadeError, limits, PalisadeError } from '@palisade/contracts';
import type { ReadTx } from '@palisade/kernel';
import { getDocument, partRefs, type RootRun } from '@palisade/runs';
import type { FrozenPart, FrozenPlan } from './frozen-plan.ts';

/**
 * A run's frozen plan, from its document. It was written by this program and is addressed by its content:
 * `integrity_mismatch` when it is not there as it was written.
 */
export async function readPlan(tx: ReadTx, run: RootRun): Promise<FrozenPlan> {
  try {
    const plan = JSON.parse(await getDocument(tx, run.id, run.planRef)) as Partial<FrozenPlan>;
    if (plan.schemaVersion === 1 && Array.isArray(plan.items)) return plan as FrozenPlan;
    throw new PalisadeError('integrity_mismatch', `document ${run.planRef} is not a plan`);
  } catch (error) {
    if (!isPalisadeError(error, 'integrity_mismatch') && !isPalisadeError(error, 'not_found')) throw error;
    throw new PalisadeError('integrity_mismatch', `the stored plan of run ${run.id} is damaged`, {
      why: error.message,
      next: 'submit the plan again',
      cause: error,
    });
  }
}

/** What the run came to consist of after it was submitted, in order, after the part `after`. */
export async function readParts(tx: ReadTx, run: RootRun, after = 0): Promise<FrozenPart[]> {
  const parts: FrozenPart[] = [];
  for (const { ref, actor } of await partRefs(tx, run.id, after)) {
    const part = JSON.parse(await getDocument(tx, run.id, ref)) as FrozenPart;
    parts.push(actor === null ? part : { ...part, actor });
  }
  return parts;
}

/** A run's plan with everything it has grown by. */
export async function readWholePlan(tx: ReadTx, run: RootRun): Promise<FrozenPlan> {
  const plan = await readPlan(tx, run);
  return withParts(plan, await readParts(tx, run));
}

/** One plan of a plan and parts of it. */
export function withParts(plan: FrozenPlan, parts: readonly FrozenPart[]): FrozenPlan {
  if (parts.length === 0) return plan;
  const agents = Object.assign({}, plan.agents, ...parts.map((part) => part.agents)) as FrozenPlan['agents'];
  return { ...plan, agents, items: [...plan.items, ...parts.flatMap((part) => part.items)] };
}

/**
 * What takes the place of a plan that cannot be read any more: the run's items by name and nothing of
 * what they are. With it a run can be shown and ended, and nothing of it can be started.
 */
export async function standInPlan(tx: ReadTx, run: RootRun): Promise<FrozenPlan> {
  const rows = await tx.sql.all<{ item_id: string }>(
    'SELECT item_id FROM plan_items WHERE run_id = ? ORDER BY ordinal',
    [run.id],
  );
  return {
    schemaVersion: 1,
    title: run.title,
    queue: run.queue,
    concurrency: null,
    timeoutMs: null,
    agents: {},
    items: rows.map(({ item_id: id }) => ({
      id,
      title: id,
      executor: 'local',
      agent: { name: 'unknown', hash: run.planRef },
      prompt: null,
      model: null,
      capabilities: [],
      environments: [],
      secretRefs: [],
      envNames: [],
      inputRefs: [],
      dependsOn: [],
      locks: [],
      needs: [],
      pipeline: [],
      maxAttempts: 1,
      backoffMs: 0,
      timeoutMs: limits.attemptMs,
      sandbox: {
        provider: 'unknown',
        isolation: 'unsandboxed-host',
        network: false,
        memory_bytes: limits.memoryBytes,
        processes: limits.processes,
        file_bytes: limits.fileBytes,
        output_bytes: limits.outputBytes,
      },
    })),
  };
}

/** A run's plan for showing it, or its stand-in and what is wrong. */
export async function planOrStandIn(
  tx: ReadTx,
  run: RootRun,
): Promise<{ readonly plan: FrozenPlan; readonly damage: string | null }> {
  try {
    return { plan: await readWholePlan(tx, run), damage: null };
  } catch (error) {
    if (!isPalisadeError(error, 'integrity_mismatch')) throw error;
    return { plan: await standInPlan(tx, run), damage: damageOf(error) };
  }
}

/** Why a run whose stored state cannot be read has to end, in one line. */
export function damageOf(error: unknown): string {
  if (!isPalisadeError(error)) return 'what is stored of the run contradicts itself';
  return error.why === undefined ? error.message : `${error.message}: ${error.why}`;
}

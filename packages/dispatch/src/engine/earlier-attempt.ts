import type { AgentDefinition, AgentSession, ContentHash } from '@palisade/contracts';
import type { ReadTx } from '@palisade/kernel';
import { childRunProduct, listChildRuns } from '@palisade/runs';

/** An earlier attempt of an item whose work a later one goes on with. */
export interface EarlierAttempt {
  readonly attempt: number;
  /** Null when only its changes are gone on with. */
  readonly session: (Pick<AgentSession, 'id' | 'spent'> & { readonly ref: ContentHash }) | null;
  /** What it had changed; null when that was nothing, or was not kept. */
  readonly patch: ContentHash | null;
  readonly reason: string | null;
}

/**
 * The attempt before `attempt`, where the agent's settings ask to go on with its session and it left one;
 * otherwise null. An attempt whose worker vanished left nothing at all, so the one before it counts.
 */
export async function earlierAttempt(
  tx: ReadTx,
  runId: string,
  itemId: string,
  agent: AgentDefinition | undefined,
  attempt: number,
): Promise<EarlierAttempt | null> {
  const run = agent?.run;
  if (attempt === 1 || run === undefined || !('resume' in run) || run.resume !== true) return null;
  const children = await listChildRuns(tx, runId, itemId);
  const last = children.findLast((child) => child.attempt < attempt && child.outcome !== 'lost');
  if (last === undefined) return null;
  const product = await childRunProduct(tx, last.id);
  const session = product?.agent_session;
  if (session?.state_ref === undefined || session.harness !== run.harness) return null;
  return {
    attempt: last.attempt,
    session: {
      id: session.id,
      ref: session.state_ref,
      ...(session.spent === undefined ? {} : { spent: session.spent }),
    },
    patch: product?.result_ref ?? null,
    reason: last.reason,
  };
}

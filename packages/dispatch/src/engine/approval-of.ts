import type { ReadTx } from '@palisade/kernel';
import { lastRequest } from '../requests/request-store.ts';
import type { Stage } from './stage.ts';
import type { StepInput } from './step-types.ts';

/**
 * The item on which this one directly depends and that a person approved when this one, or all that the run made it of, was
 * part of the run; an approval that came of nobody deciding is none.
 */
export async function approvalOf(
  tx: ReadTx,
  { run, graph }: StepInput,
  stage: Stage,
  i: number,
): Promise<string | undefined> {
  for (const id of graph.item(i).dependsOn) {
    const other = graph.ordinal(id);
    if (graph.item(other).approval === undefined || stage.facts(other).state !== 'done') continue;
    const request = await lastRequest(tx, run.id, id);
    if (request?.outcome === 'approve' && graph.stated(i) < (request.items ?? 0)) return id;
  }
  return undefined;
}

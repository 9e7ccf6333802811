import { newId, type ProductFacts, type Question, questionHash } from '@palisade/contracts';
import type { WriteTx } from '@palisade/kernel';
import type { RootRun } from '@palisade/runs';
import { insertRequest } from './request-store.ts';

/** An attempt that ended with a question. */
export interface AskingAttempt {
  readonly run: Pick<RootRun, 'id' | 'project'>;
  readonly itemId: string;
  readonly ordinal: number;
  readonly attempt: number;
  readonly childRunId: string;
  readonly question: Question;
  readonly product: ProductFacts;
}

/** Puts an agent's question to people, in the unit of work that records the attempt's end; how the ledger names it. */
export async function ask(tx: WriteTx, asking: AskingAttempt) {
  const { run, itemId, ordinal, attempt, childRunId, question, product } = asking;
  const request = newId('apr', tx.now);
  const hash = questionHash(
    { request, run_id: run.id, item_id: itemId, attempt, attempt_run: childRunId },
    question,
  );
  await insertRequest(tx, {
    project: run.project,
    runId: run.id,
    id: request,
    itemId,
    ordinal,
    attempt,
    kind: 'question',
    hash,
    body: JSON.stringify(question),
    patch: product.result_ref ?? null,
    expiresAt: null,
  });
  return { request, request_hash: hash };
}

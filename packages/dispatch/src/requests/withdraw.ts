import type { WriteTx } from '@palisade/kernel';
import { finishChildRun, runStream } from '@palisade/runs';
import { endRequest, lastRequest, markSettled } from './request-store.ts';
import { namedBy } from './settle-approval.ts';

/**
 * Its item is being canceled: nobody is asked any more, and an answer that comes now is refused. True when that
 * ended an attempt and is told to the ledger with it: an approval is one all the time somebody may decide it.
 */
export async function withdraw(tx: WriteTx, runId: string, itemId: string, reason: string): Promise<boolean> {
  const request = await lastRequest(tx, runId, itemId);
  if (request === undefined || request.isSettled) return false;
  await endRequest(tx, request, { outcome: 'withdrawn', actor: null, record: null });
  await markSettled(tx, request);
  if (request.kind === 'question') return false;
  await finishChildRun(tx, request.manifest.attempt_run, {
    state: 'canceled',
    outcome: 'canceled',
    exitCode: null,
    code: 'canceled',
    reason,
    product: null,
  });
  await tx.journal.append(runStream(runId), 'item.reconciled', {
    ...namedBy(request),
    status: 'canceled',
    outcome: 'canceled',
    reason,
    code: 'canceled',
  });
  return true;
}

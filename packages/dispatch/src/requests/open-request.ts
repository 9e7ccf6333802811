import { isHashPrefix, PalisadeError } from '@palisade/contracts';
import type { ReadTx } from '@palisade/kernel';
import type { RootRun } from '@palisade/runs';
import { askedBefore, type ItemRequest, lastRequest, type QuestionRequest } from './request-store.ts';
import { isExpired } from './view-of.ts';

/**
 * What an item asks now, for whoever is about to answer it. An answer names what it answers: it never reaches a
 * later question of the item (FF-053), nor another item's (FF-056).
 *
 * @param digits of the hash that was shown, when the caller binds to it
 * @throws PalisadeError `not_found` for an item that is not there, `invalid_state` when it asks nothing, was answered, or
 *   its time is over; `stale_revision` when something else is asked than what was shown
 */
export async function openRequest(
  tx: ReadTx & { readonly now: number },
  run: RootRun,
  itemId: string,
  digits: string | undefined,
): Promise<ItemRequest> {
  const item = await tx.sql.get('SELECT state FROM plan_items WHERE run_id = ? AND item_id = ?', [
    run.id,
    itemId,
  ]);
  if (item === undefined)
    throw new PalisadeError('not_found', `run ${run.id} has no item ${itemId}`, {
      next: `palisade show ${run.id}`,
    });
  const request = await lastRequest(tx, run.id, itemId);
  const target = `${run.id}/${itemId}`;
  if (request === undefined)
    throw new PalisadeError('invalid_state', `${target} asks nothing`, { next: 'palisade inbox' });
  if (digits !== undefined && !isHashPrefix(digits, request.hash))
    throw new PalisadeError('stale_revision', `${target} asks something else than what was shown`, {
      why: `it is ${shownDigits(request)} now`,
      next: `palisade explain ${target}`,
    });
  if (request.outcome !== null)
    throw new PalisadeError('invalid_state', endedText(target, request), {
      next: `palisade explain ${target}`,
    });
  if (isExpired(request, tx.now))
    throw new PalisadeError('invalid_state', `the time to decide ${target} is over`, {
      why: `it expired at ${new Date(request.expiresAt ?? 0).toISOString()}`,
      next: `palisade watch ${run.id}`,
    });
  return request;
}

/**
 * Of an item that has asked before, an answer says by the hash which question it is to: whoever read an earlier one would
 * otherwise answer another (FF-053).
 *
 * @throws PalisadeError `stale_revision` without the hash
 */
export async function assertNamed(
  tx: ReadTx,
  request: QuestionRequest,
  digits: string | undefined,
): Promise<void> {
  if (digits !== undefined || !(await askedBefore(tx, request))) return;
  const target = `${request.runId}/${request.itemId}`;
  throw new PalisadeError(
    'stale_revision',
    `${target} has asked before: say with --hash which question you answer`,
    {
      why: `another may be asked than the one you read; it is ${shownDigits(request)} now`,
      next: `palisade explain ${target}`,
    },
  );
}

function shownDigits({ hash }: ItemRequest): string {
  return hash.slice('sha256:'.length, 'sha256:'.length + 12);
}

/** Who was first. */
export function endedText(target: string, { outcome, actor }: ItemRequest): string {
  switch (outcome) {
    case 'withdrawn':
      return `${target} asks nothing any more`;
    case 'expire':
      return `the time to decide ${target} is over`;
    case 'approve':
      return `${target} was already approved by ${actor}`;
    case 'deny':
      return `${target} was already denied by ${actor}`;
    default:
      return `${target} was already answered by ${actor}`;
  }
}

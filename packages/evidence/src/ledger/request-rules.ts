import {
  approvalRecordText,
  type ContentHash,
  contentHash,
  type EventData,
  EXPIRY_ACTOR,
  isApproved,
  questionHash,
} from '@palisade/contracts';
import type { LedgerEvent } from './ledger-event.ts';

/*
 * What a ledger must tell of people who are asked. An attempt that ends with the outcome `needs_input` has the status
 * of that name, or the item was canceled; it names its question by an address that follows from the question itself and from who
 * asked it. The item is not fired again before exactly that question is answered, once. An attempt that is
 * a decision (`item.approval_requested`) is no program's: it never starts. It is decided once, for exactly what
 * was shown: by a person before it expires, by expiry not before. It ends as it was decided, or is canceled.
 */

type Report = (problem: string) => void;
type Reconciled = EventData<'item.reconciled'>;

/** What one item asks people, entry by entry. */
export class RequestStory {
  /** The question that is not answered yet. */
  #asked: { readonly request: string; readonly hash: ContentHash; readonly attempt: number } | null = null;
  #approval: EventData<'item.approval_requested'> | null = null;
  #manifest: ContentHash | null = null;
  #decided: EventData<'item.decided'> | null = null;

  fire(data: EventData<'item.fired'>, say: Report): void {
    if (this.#asked !== null)
      say(
        `item ${data.item} was fired although the question of attempt ${this.#asked.attempt} was not answered`,
      );
    this.#approval = null;
    this.#decided = null;
    this.#manifest = data.manifest_ref;
  }

  answer(data: EventData<'item.answered'>, say: Report): void {
    const asked = this.#asked;
    if (asked === null) {
      say(`item.answered of item ${data.item}, which asks nothing`);
      return;
    }
    if (asked.request !== data.request || asked.hash !== data.request_hash || asked.attempt !== data.attempt)
      say(`item.answered of item ${data.item} is about another question than the one it asks`);
    this.#asked = null;
  }

  request(data: EventData<'item.approval_requested'>, isStarted: boolean, say: Report): void {
    if (this.#approval !== null) say(`item ${data.item} attempt ${data.attempt} asks for approval twice`);
    if (isStarted) say(`item ${data.item} attempt ${data.attempt} is a decision, and was started`);
    if (data.request_hash !== this.#manifest)
      say(`item ${data.item} asks for the approval of something else than its manifest`);
    this.#approval = data;
  }

  decide(runId: string, event: Extract<LedgerEvent, { readonly type: 'item.decided' }>, say: Report): void {
    const { data, at } = event;
    const approval = this.#approval;
    if (approval === null) {
      say(`item ${data.item} was decided, which nobody was asked for`);
      return;
    }
    if (this.#decided !== null) say(`item ${data.item} was decided a second time`);
    this.#decided = data;
    if (approval.request !== data.request || approval.request_hash !== data.request_hash)
      say(`item ${data.item} was decided for something else than what was asked`);
    const expiresAt = approval.expires_at ?? Number.POSITIVE_INFINITY;
    const isExpiry = data.decision === 'expire';
    if (isExpiry ? at < expiresAt : at >= expiresAt || data.decided_at >= expiresAt)
      say(`item ${data.item} ${isExpiry ? 'expired before' : 'was decided after'} its time was over`);
    if (isExpiry !== (data.actor === EXPIRY_ACTOR))
      say(`item ${data.item} has a decision that is not that of ${data.actor}`);
    if (data.decided_at > at) say(`item ${data.item} was decided later than its entry`);
    if (data.record !== recordHash(runId, data)) say(`item ${data.item} names a record of another decision`);
  }

  reconcile(runId: string, data: Reconciled, say: Report): void {
    const { item, attempt, run, status, outcome, asks, product } = data;
    if (this.#approval !== null) {
      this.#reconcileDecision(data, say);
      return;
    }
    if (status === 'denied') say(`item ${item} is denied, and nobody was asked to decide it`);
    if (
      (status === 'needs_input') !== (asks !== undefined) ||
      (asks !== undefined && outcome !== 'needs_input')
    )
      say(`item ${item} attempt ${attempt} says ${status} and ends ${outcome}`);
    if (outcome === 'needs_input' && status !== 'needs_input' && status !== 'canceled')
      say(`item ${item} is ${status} although its attempt ended with a question`);
    if (asks === undefined) return;
    const question = product?.question;
    const asker = { request: asks.request, run_id: runId, item_id: item, attempt, attempt_run: run };
    if (question === undefined || questionHash(asker, question) !== asks.request_hash)
      say(`item ${item} attempt ${attempt} asks something else than its question`);
    this.#asked = { request: asks.request, hash: asks.request_hash, attempt };
  }

  #reconcileDecision({ item, status, product }: Reconciled, say: Report): void {
    const decided = this.#decided;
    if (decided === null) {
      if (status !== 'canceled') say(`item ${item} is ${status}, and nobody decided it`);
      return;
    }
    const approved = isApproved(decided.decision, this.#approval?.on_expiry ?? 'deny');
    if (status !== (approved ? 'done' : 'denied'))
      say(`item ${item} is ${status} although it was decided otherwise`);
    if (decided.decision === 'approve' && (product?.outputs ?? []).every(({ ref }) => ref !== decided.record))
      say(`item ${item} was approved, and its product is not the record of that`);
  }
}

function recordHash(runId: string, data: EventData<'item.decided'>): ContentHash {
  const { request, request_hash, item, decision, actor, decided_at, reason } = data;
  return contentHash(
    approvalRecordText({
      schema_version: 1,
      request,
      request_hash,
      run_id: runId,
      item_id: item,
      decision,
      approver: actor,
      decided_at,
      ...(reason === undefined ? {} : { reason }),
    }),
  );
}

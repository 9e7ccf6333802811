import type { RequestView } from '@palisade/contracts';
import type { ApprovalRequest, ItemRequest, QuestionRequest } from './request-store.ts';

/** A request as people see it. Whether its time is over is computed from facts, at `now` (ms), by whoever looks. */
export function viewOf(request: ItemRequest, runTitle: string, now: number): RequestView {
  return {
    id: request.id,
    kind: request.kind,
    run_id: request.runId,
    run_title: runTitle,
    item: request.itemId,
    attempt: request.attempt,
    hash: request.hash,
    state: stateOf(request, now),
    asked_at: request.askedAt,
    ...(request.expiresAt === null ? {} : { expires_at: request.expiresAt }),
    ...(request.endedAt === null ? {} : { answered_at: request.endedAt }),
    ...(request.actor === null ? {} : { answered_by: request.actor }),
    ...(request.kind === 'question' ? questionOf(request) : approvalOf(request)),
  };
}

function stateOf(request: ItemRequest, now: number): RequestView['state'] {
  switch (request.outcome) {
    case null:
      return isExpired(request, now) ? 'expired' : 'open';
    case 'approve':
      return 'approved';
    case 'deny':
      return 'denied';
    case 'expire':
      return 'expired';
    default:
      return request.outcome;
  }
}

/** The lease rule: at `expires_at` it is over. */
export function isExpired({ expiresAt }: Pick<ItemRequest, 'expiresAt'>, now: number): boolean {
  return expiresAt !== null && now >= expiresAt;
}

type Words = Pick<RequestView, 'text'> & Partial<RequestView>;

function questionOf({ question, patch, answer }: QuestionRequest): Words {
  const { question: text, ...rest } = question;
  return {
    text,
    ...rest,
    ...(patch === null ? {} : { patch }),
    ...(answer === null
      ? {}
      : { answer: answer.answer, ...(answer.option === undefined ? {} : { option: answer.option }) }),
  };
}

function approvalOf({ manifest, decided }: ApprovalRequest): Words {
  const { prompt: text, inputs, role, four_eyes, distinct_from, on_expiry } = manifest;
  return {
    text,
    inputs,
    ...(role === undefined ? {} : { role }),
    ...(four_eyes ? { four_eyes } : {}),
    ...(distinct_from.length === 0 ? {} : { distinct_from }),
    on_expiry,
    ...(decided === null
      ? {}
      : {
          decision: decided.decision,
          ...(decided.reason === undefined ? {} : { reason: decided.reason }),
        }),
  };
}

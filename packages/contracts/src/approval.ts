import * as z from 'zod';
import { type ContentHash, canonicalJson } from './canonical-json.ts';
import { limits } from './limits.ts';
import { RequestId } from './question.ts';
import { Hash, Millis, Name } from './schema.ts';

/*
 * An item that a person decides (DI-192). No program runs: firing it commits a manifest, which is the request
 * itself, with the address of everything the person is shown. Who decides names that address; the decision
 * is a record of its own, which is the item's product.
 */

/** The executor of items that a person decides. */
export const APPROVAL_EXECUTOR = 'approval';
/** The product's one output: the record of the decision. */
export const APPROVAL_OUTPUT = 'approval';

export const ApprovalSettings = z.strictObject({
  /** What is to be decided, in the words of the plan's author. */
  prompt: z.string().min(1).max(limits.questionContextChars),
  /** Who should decide; shown and recorded. */
  role: z.string().min(1).max(200).optional(),
  /** Without it the request waits as long as its run may. */
  expires_seconds: z
    .int()
    .positive()
    .max(365 * 86_400)
    .optional(),
  /** What happens when nobody decided in time; `deny` unless the plan says otherwise. */
  on_expiry: z.enum(['deny', 'approve']).optional(),
  /** Whoever started the run or added to it may not approve it, and whoever approved it may not add to the run. Of a reviewer: unless it is false. */
  four_eyes: z.boolean().optional(),
  /** Approvals of this plan whose approver may not approve this one as well (DI-203). */
  distinct_from: z.array(Name).max(64).optional(),
});
export type ApprovalSettings = z.infer<typeof ApprovalSettings>;

export const Decision = z.enum(['approve', 'deny', 'expire']);
export type Decision = z.infer<typeof Decision>;

/** What was decided; the bytes of the output `approval`. */
export const ApprovalRecord = z.strictObject({
  schema_version: z.literal(1),
  request: RequestId,
  /** Address of the manifest that was shown. */
  request_hash: Hash,
  run_id: z.string(),
  item_id: Name,
  decision: Decision,
  /** Recorded identity, or `system:expiry`. */
  approver: z.string(),
  decided_at: Millis,
  reason: z.string().max(limits.decisionReasonChars).optional(),
});
export type ApprovalRecord = z.infer<typeof ApprovalRecord>;

/** Who "decides" when nobody did in time. */
export const EXPIRY_ACTOR = 'system:expiry';

/** The record's bytes, as stored and addressed. */
export function approvalRecordText(record: ApprovalRecord): string {
  return canonicalJson(record);
}

/** True when a decision lets what depends on it go on. */
export function isApproved(decision: Decision, onExpiry: 'deny' | 'approve'): boolean {
  return decision === 'approve' || (decision === 'expire' && onExpiry === 'approve');
}

/** Digits of a hash that bind a decision to what was shown (cli.md §4). */
export const HASH_PREFIX = /^(?:sha256:)?([0-9a-f]{12,64})$/;

/** Whether the digits somebody gave are the beginning of the address. */
export function isHashPrefix(digits: string, hash: ContentHash): boolean {
  const [, hex] = HASH_PREFIX.exec(digits) ?? [];
  return hex !== undefined && hash.slice('sha256:'.length).startsWith(hex);
}

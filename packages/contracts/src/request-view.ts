import * as z from 'zod';
import { Decision } from './approval.ts';
import { ManifestInput } from './manifest.ts';
import { RequestId } from './question.ts';
import { Hash, Millis, Name } from './schema.ts';

/**
 * What a person is or was asked, as shown on every surface (DI-120). Texts of a question are an agent's: they
 * are shown, and nothing they say is carried out.
 */
export const RequestView = z.strictObject({
  id: RequestId,
  kind: z.enum(['question', 'approval']),
  run_id: z.string(),
  run_title: z.string(),
  item: Name,
  attempt: z.int().positive(),
  /** Binds an answer or a decision to exactly what was shown. */
  hash: Hash,
  /** `expired`: nobody decided in time; what then happens is on its way. */
  state: z.enum(['open', 'expired', 'answered', 'approved', 'denied', 'withdrawn']),
  /** The question, or what is to be decided. */
  text: z.string(),
  options: z.array(z.string()).optional(),
  context: z.string().optional(),
  /** What the agent left with its question. */
  partial_state: z.strictObject({ ref: Hash, size: z.int().nonnegative() }).optional(),
  /** The patch of what the agent had changed when it asked. */
  patch: Hash.optional(),
  /** What an approval is about, each by its address. */
  inputs: z.array(ManifestInput).optional(),
  role: z.string().optional(),
  four_eyes: z.boolean().optional(),
  distinct_from: z.array(Name).optional(),
  asked_at: Millis,
  expires_at: Millis.optional(),
  on_expiry: z.enum(['deny', 'approve']).optional(),
  answered_at: Millis.optional(),
  answered_by: z.string().optional(),
  answer: z.string().optional(),
  option: z.int().positive().optional(),
  decision: Decision.optional(),
  reason: z.string().optional(),
});
export type RequestView = z.infer<typeof RequestView>;

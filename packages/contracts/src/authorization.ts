import * as z from 'zod';
import type { ContentHash } from './canonical-json.ts';
import { limits } from './limits.ts';
import { Hash, Millis, Name } from './schema.ts';

/*
 * Whether work may be done (DI-194). An authorizer is asked about every item and template of a plan before it is
 * admitted (`submit`), and about every attempt of a program before it is fired (`fire`): also of items that were added
 * later or that a run made itself, of retries, and of reruns. What it answered about an attempt is sealed in the
 * attempt's manifest; a denial is an entry of the ledger.
 */

/** `pure`: depends on its inputs alone. `read-impure`: may read what is outside. `write-impure`: may change things. */
export const EffectTier = z.enum(['pure', 'read-impure', 'write-impure']);
export type EffectTier = z.infer<typeof EffectTier>;

/** Follows from the item's shape alone, never from what a plan says of itself; `unknown` without a shape (DI-172). */
export const EffectClass = z.enum([...EffectTier.options, 'unknown']);
export type EffectClass = z.infer<typeof EffectClass>;

/** What an authorizer answers. */
export const AuthorizerAnswer = z.strictObject({
  /** `not-evaluated`: nobody judged it. It goes on, unless its effect has to be let through by somebody. */
  verdict: z.enum(['allow', 'deny', 'not-evaluated']),
  /** Whose right was judged. */
  principal: z.string(),
  /** For whom the principal acts, where the authorizer knows of such a thing. */
  on_behalf_of: z.string().optional(),
  /** Content hash of the policy that was in force. */
  policy_ref: Hash.optional(),
  /** Why, in words for people. Of a denial: which rule, and what to do. */
  reason: z.string().min(1).max(limits.decisionReasonChars).optional(),
});
export type AuthorizerAnswer = z.infer<typeof AuthorizerAnswer>;

/** The decision about one attempt, as it is sealed. */
export const Authorization = AuthorizerAnswer.extend({
  effect: EffectClass,
  /** Protected time of the decision. */
  at: Millis,
  /** The item whose approval by a person lets this effect through, where the verdict alone does not (DI-193). */
  approved_by: Name.optional(),
});
export type Authorization = z.infer<typeof Authorization>;

/** What an authorizer is asked. Texts of a plan are untrusted; `actor` is who asked for this very item. */
export interface AuthorizationRequest {
  readonly phase: 'submit' | 'fire';
  readonly runId: string;
  /** The item's id; at `submit` a template is named by the item and its place, e.g. `review:quorum.commit`. */
  readonly itemId: string;
  /** Recorded identity such as `human:ada`: of whoever submitted the run or added the item, also for what it grew into. */
  readonly actor: string;
  readonly shape?: string;
  readonly effect: EffectClass;
  /** At `fire`: addresses of everything the attempt is given. */
  readonly inputRefs?: readonly ContentHash[];
  /** At `fire`: when the run was submitted, protected ms. */
  readonly submittedAt?: number;
  /** Now, ms: protected time at `fire`. */
  readonly at: number;
}

/**
 * Decides who may do what. It is asked outside of any database transaction, any number of times for the same thing (a
 * crash forgets what was not committed), and never about what a person is to decide. A throw, an answer that is none, or none within
 * `limits.authorizeMs` fails closed: a submission is refused, an item is not fired, is asked about again with back-off for
 * `limits.undecidedMs` at most, and then fails alone. The signal is aborted when nobody waits for the answer any more.
 */
export interface Authorizer {
  authorize(request: AuthorizationRequest, signal: AbortSignal): Promise<AuthorizerAnswer> | AuthorizerAnswer;
}

/** Whether what was decided lets nothing happen without the approval of a person besides: what writes needs a yes (DI-193). */
export function needsApproval({ verdict, effect }: Pick<Authorization, 'verdict' | 'effect'>): boolean {
  return verdict === 'not-evaluated' && effect === 'write-impure';
}

/** Whether a decision lets an attempt be fired. */
export function letsThrough(decision: Authorization): boolean {
  return decision.verdict !== 'deny' && (!needsApproval(decision) || decision.approved_by !== undefined);
}

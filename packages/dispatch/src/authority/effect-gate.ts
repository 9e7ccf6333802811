import type { AuthorizerAnswer } from '@palisade/contracts';

/*
 * What writes is let through by somebody (DI-193): by an authorizer that allows it, or by a person who approved an item on
 * which it directly depends, and who could know of it: what was added to the run after the decision is not what was
 * decided about. Without either it is denied, whatever the plan says.
 */

/** Why something that writes is denied where nobody judged it. */
export const UNAPPROVED =
  'it is write-impure and nobody lets it through: have it depend on an approval, or have the policy allow it';

/** Why something that writes is not added behind approvals that are all decided. */
export const DECIDED =
  'it is write-impure and every approval it depends on was decided before it: have it depend on one of its own';

/** The verdict where there is no authorizer. */
export function verdictOfNobody(actor: string): AuthorizerAnswer {
  return { verdict: 'not-evaluated', principal: actor };
}

/** Why what is not let through is not: the word of the authorizer, or that there is no yes. */
export function denialOf({ verdict, reason }: Pick<AuthorizerAnswer, 'verdict' | 'reason'>): string {
  return verdict === 'deny' ? (reason ?? 'the authorizer denies it') : UNAPPROVED;
}

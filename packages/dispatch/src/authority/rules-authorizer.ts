import type { Authorizer, ContentHash } from '@palisade/contracts';
import { firstRule, type Policy } from './policy.ts';

/** A policy and the content hash of the file it stands in. */
export interface PolicyInForce {
  readonly policy: Policy;
  readonly ref: ContentHash;
}

/**
 * The authorizer of an operator's policy (DI-194). `inForce` is asked every time: a policy that cannot be read lets nothing through.
 */
export function rulesAuthorizer(inForce: () => Promise<PolicyInForce>): Authorizer {
  return {
    async authorize(request) {
      const { policy, ref } = await inForce();
      const judged = { principal: request.actor, policy_ref: ref };
      const denied = firstRule(policy.deny, request);
      if (denied !== undefined)
        return {
          ...judged,
          verdict: 'deny',
          reason: `rule ${denied.name} of the policy denies it${denied.reason === undefined ? '' : `: ${denied.reason}`}`,
        };
      const allowed = firstRule(policy.allow, request);
      if (allowed !== undefined)
        return { ...judged, verdict: 'allow', reason: `rule ${allowed.name} of the policy allows it` };
      if (request.effect === 'write-impure')
        return { ...judged, verdict: 'not-evaluated', reason: 'no rule of the policy allows what writes' };
      return { ...judged, verdict: 'allow', reason: 'no rule of the policy denies it' };
    },
  };
}

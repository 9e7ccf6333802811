import type { AuthorizerAnswer } from '@palisade/contracts';
import type { ItemFacts } from '../engine/item-facts.ts';
import type { FrozenItem } from '../plans/frozen-plan.ts';

/*
 * What writes is let through by somebody (DI-193): by an authorizer that allows it, or by a person who approved an item on
 * which it directly depends. Without either it is denied, whatever the plan says.
 */

/** Why something that writes is denied where nobody judged it. */
export const UNAPPROVED =
  'it is write-impure and nobody lets it through: have it depend on an approval, or have the policy allow it';

/** The verdict where there is no authorizer. */
export function verdictOfNobody(actor: string): AuthorizerAnswer {
  return { verdict: 'not-evaluated', principal: actor };
}

/** The item on which this one depends that a person approved; an approval that came of nobody deciding is none. */
export function approvalOf(
  item: FrozenItem,
  seen: (id: string) => { readonly item: FrozenItem; readonly facts: ItemFacts },
): string | undefined {
  return item.dependsOn.find((id) => {
    const { item: other, facts } = seen(id);
    // Only a decision of a person leaves a record.
    return (
      other.approval !== undefined && facts.state === 'done' && (facts.product?.outputs ?? []).length > 0
    );
  });
}

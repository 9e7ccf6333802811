import { PalisadeError } from '@palisade/contracts';
import type { FrozenGrowth } from '../plans/frozen-plan.ts';
import type { GrowthRule } from './growth-rule.ts';

/** The rule of a kind of growth. */
export function ruleOf(kind: FrozenGrowth['kind']): GrowthRule {
  throw new PalisadeError('internal', `no rule of growth ${kind}`);
}

import type { FrozenGrowth } from '../plans/frozen-plan.ts';
import { gateRule } from './gate-rule.ts';
import type { GrowthRule } from './growth-rule.ts';
import { mapReduceRule } from './map-reduce-rule.ts';
import { quorumRule } from './quorum-rule.ts';
import { spawnRule } from './spawn-rule.ts';

const rules: Readonly<Record<FrozenGrowth['kind'], GrowthRule>> = {
  gate: gateRule,
  'map-reduce': mapReduceRule,
  quorum: quorumRule,
  spawn: spawnRule,
};

/** The rule of a kind of growth. */
export function ruleOf(kind: FrozenGrowth['kind']): GrowthRule {
  return rules[kind];
}

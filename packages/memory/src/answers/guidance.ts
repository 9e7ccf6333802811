import {
  type ActionGuidance,
  type AnswerConfidence,
  type CheckTier,
  type CheckTiers,
  type Freshness,
  type RiskLevel,
} from '@palisade/contracts';
import type { Boundary } from '../signals/boundaries.ts';
import { typed } from '../verification/command.ts';
import { type CheckPlan, smallestTier } from '../verification/plan-checks.ts';
import type { FileView } from './file-view.ts';

const PER_TIER = 8;

export function shownChecks(plan: CheckPlan): CheckTiers {
  return { fast: shown(plan, 'fast'), safe: shown(plan, 'safe'), full: shown(plan, 'full') };
}

function shown(plan: CheckPlan, tier: CheckTier): readonly string[] {
  return plan[tier].slice(0, PER_TIER).map(typed);
}

/** The commands that a report names first: those of the smallest tier that has any. */
export function testCommands(plan: CheckPlan, most: number): readonly string[] {
  const tier = smallestTier(plan);
  return tier === undefined ? [] : plan[tier].slice(0, most).map(typed);
}

export interface Situation {
  readonly level: RiskLevel;
  readonly boundaries: readonly Boundary[];
  readonly blastRadius: readonly string[];
  readonly checks: CheckPlan;
  readonly confidence: AnswerConfidence;
  /** Sentences that stop whoever goes on, beside those that always do. */
  readonly stops?: readonly string[];
}

export function guidanceOf(situation: Situation, freshness: Freshness): ActionGuidance {
  const { level, boundaries, blastRadius, checks, confidence } = situation;
  const tier = smallestTier(checks);
  const hasCommand = tier !== undefined;
  const isWide = blastRadius.length >= 4;
  const next =
    freshness.index_status === 'indexed'
      ? tier === undefined
        ? 'pal repo review'
        : `pal repo check ${tier}`
      : 'pal repo index';
  return {
    inspect_first: blastRadius.slice(0, 4),
    run_next: testCommands(checks, 3),
    recommended_next_command: next,
    safe_to_edit_alone: level === 'low' && boundaries.length === 0 && blastRadius.length <= 2,
    must_review: level === 'high' || boundaries.length > 0 || isWide,
    must_verify: hasCommand || level === 'medium' || level === 'high' || boundaries.length > 0,
    ask_for_review_if: [
      'the change needs files that are not named here',
      'a check fails twice for reasons that are not understood',
      ...(boundaries.length > 0
        ? [`behaviour of ${boundaries.map((each) => each.label).join(', ')} changes`]
        : []),
      ...(isWide ? [`more than two of the ${blastRadius.length} files it may touch have to change too`] : []),
    ].slice(0, 4),
    stop_signals: [
      ...(situation.stops ?? []),
      'a test that passed before the change fails',
      'the change grows beyond what was asked for',
      ...(checks.fast.length === 0 ? ['no quick check is known for it'] : []),
      ...(freshness.is_stale ? ['the index does not know the newest commits'] : []),
      ...(level === 'high' ? ['a second file of high risk has to change'] : []),
      'what the code does differs from what is said here',
    ].slice(0, 5),
    confidence_gaps: [
      ...(freshness.is_stale ? freshness.reasons.slice(0, 1) : []),
      ...confidence.reasons.filter((reason) => /\bno\b|\bnot\b|nothing/.test(reason)),
    ].slice(0, 4),
    boundary_warnings: boundaries.map((each) => `${each.label}: ${each.reason}`),
  };
}

export function guidanceFor(view: FileView, checks: CheckPlan, freshness: Freshness): ActionGuidance {
  const { risk, boundaries, blastRadius, confidence } = view;
  return guidanceOf({ level: risk.level, boundaries, blastRadius, checks, confidence }, freshness);
}

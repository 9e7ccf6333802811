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
/** By how many files of high risk there are already. */
const MORE_RISK = [
  'a file of high risk has to change',
  'a second file of high risk has to change',
  'one more file of high risk has to change',
] as const;

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
  /** Whether a part of the history was not read, or there is nothing to edit. */
  readonly isUncertain: boolean;
  /** How many files of high risk it is about. */
  readonly highRisk: number;
}

export function guidanceOf(situation: Situation, freshness: Freshness): ActionGuidance {
  const { level, boundaries, blastRadius, checks, confidence, isUncertain } = situation;
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
    safe_to_edit_alone: level === 'low' && !isUncertain && boundaries.length === 0 && blastRadius.length <= 2,
    must_review: level === 'high' || boundaries.length > 0 || isWide,
    must_verify: hasCommand || level !== 'low' || boundaries.length > 0,
    ask_for_review_if: [
      'the change needs files that are not named here',
      'a check fails twice for reasons that are not understood',
      ...(boundaries.length > 0
        ? [`behaviour of ${boundaries.map((each) => each.label).join(', ')} changes`]
        : []),
      ...(isWide ? [`more than two of the ${blastRadius.length} files it may touch have to change too`] : []),
    ].slice(0, 4),
    // What may yet happen: what is so already is said elsewhere.
    stop_signals: [
      'a test that passed before the change fails',
      'the change grows beyond what was asked for',
      MORE_RISK[Math.min(situation.highRisk, 2)] ?? '',
      'what the code does differs from what is said here',
    ],
    confidence_gaps: [
      ...(freshness.is_stale ? freshness.reasons.slice(0, 1) : []),
      ...(checks.fast.length === 0 ? ['no quick check of it is known'] : []),
      ...confidence.reasons.filter((reason) => /\bno\b|\bnot\b|nothing/.test(reason)),
    ].slice(0, 4),
    boundary_warnings: boundaries.map((each) => `${each.label}: ${each.reason}`),
  };
}

export function guidanceFor(view: FileView, checks: CheckPlan, freshness: Freshness): ActionGuidance {
  const { risk, boundaries, blastRadius, confidence, isGone, unread } = view;
  return guidanceOf(
    {
      level: risk.level,
      boundaries,
      blastRadius,
      checks,
      confidence,
      isUncertain: isGone || unread !== undefined,
      highRisk: risk.level === 'high' ? 1 : 0,
    },
    freshness,
  );
}

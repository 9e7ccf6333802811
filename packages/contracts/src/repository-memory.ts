import * as z from 'zod';
import { listOf, Millis, Texts } from './schema.ts';

/*
 * What is known of a repository, and how sure that is: the parts that the answers of repository memory are
 * made of (WM §2–§5). Paths are the text form of their bytes, relative to the work tree.
 */

const Share = z.number().min(0);

/** How far an answer can be trusted to speak of the code as it is (WM-028, L-11). */
export const Freshness = z.strictObject({
  index_status: z.enum(['missing', 'indexed', 'stale']),
  indexed_at: Millis.nullable(),
  indexed_branch: z.string().nullable(),
  last_indexed_commit: z.string().nullable(),
  /** Null when detached. */
  current_branch: z.string().nullable(),
  current_commit: z.string().nullable(),
  working_tree_dirty: z.boolean(),
  working_tree_file_count: z.int(),
  is_stale: z.boolean(),
  /** One sentence each. */
  reasons: Texts,
});
export type Freshness = z.infer<typeof Freshness>;

/** What an answer rests on, and what it does not know (WM-028). */
export const AnswerEvidence = z.strictObject({ sources: Texts, notes: Texts });
export type AnswerEvidence = z.infer<typeof AnswerEvidence>;

/** A file that changes in the same commits (WM-020), with what the number means beside the number (D-01). */
export const Neighbor = z.strictObject({
  path: z.string(),
  /** Commits that changed both; those that change very many files are not counted. */
  cochange_count: z.int(),
  /** Each of them divided by its age: `1 / max(1, days + 1)`. */
  recency_weight: Share,
  /** What they are ranked by: how strongly the two belong together, by weights that are measured. */
  strength: Share,
  /** Share of the commits of the file asked about, 0 to 1. */
  confidence: Share,
  /** How many times more often than if they had nothing to do with each other. */
  lift: Share,
});
export type Neighbor = z.infer<typeof Neighbor>;

export const RiskLevel = z.enum(['low', 'medium', 'high', 'unknown']);
export type RiskLevel = z.infer<typeof RiskLevel>;

/** How likely a change of a file is to go wrong, as far as its history says (WM-021, WM-022). */
export const Risk = z.strictObject({
  path: z.string(),
  score: z.number(),
  level: RiskLevel,
  churn_score: z.int(),
  recent_touch_count: z.int(),
  neighbor_count: z.int(),
  author_count: z.int(),
  /** Commits that mended something in it. */
  fix_count: z.int(),
  last_touched_at: Millis.nullable(),
  /** What each part adds to the score. */
  parts: z.record(z.string(), z.number()).readonly(),
  reasons: Texts,
  top_neighbors: listOf(Neighbor),
});
export type Risk = z.infer<typeof Risk>;

/** Why a file belongs with another one by what is written in them or by their names (WM-023). */
export const StructuralLink = z.strictObject({ path: z.string(), kind: z.string(), reason: z.string() });
export type StructuralLink = z.infer<typeof StructuralLink>;

/** How much is known, by WM-026. */
export const AnswerConfidence = z.strictObject({
  level: z.enum(['low', 'medium', 'high']),
  score: z.int(),
  reasons: Texts,
});
export type AnswerConfidence = z.infer<typeof AnswerConfidence>;

/** What to do with an answer (WM-029). Commands are as typed at the root of the repository. */
export const ActionGuidance = z.strictObject({
  inspect_first: Texts,
  run_next: Texts,
  recommended_next_command: z.string(),
  safe_to_edit_alone: z.boolean(),
  must_review: z.boolean(),
  must_verify: z.boolean(),
  ask_for_review_if: Texts,
  stop_signals: Texts,
  confidence_gaps: Texts,
  boundary_warnings: Texts,
});
export type ActionGuidance = z.infer<typeof ActionGuidance>;

/** Commands by how much they check; each tier holds those of the one before it (WM-040). */
export const CheckTiers = z.strictObject({ fast: Texts, safe: Texts, full: Texts });
export type CheckTiers = z.infer<typeof CheckTiers>;

/** How much is checked: what concerns the change, what may suffer from it, everything. */
export const CHECK_TIERS = ['fast', 'safe', 'full'] as const;
export type CheckTier = (typeof CHECK_TIERS)[number];

/** A check that was run in a work tree (WM-041). */
export const VerificationRun = z.strictObject({
  tier: z.enum(CHECK_TIERS),
  command: z.string(),
  /** Null when it did not end by itself. */
  exit_code: z.int().nullable(),
  outcome: z.enum(['passed', 'failed', 'timed_out', 'not_started']),
  duration_ms: z.int(),
  changed_files: Texts,
  /** Absolute folder it ran in. */
  cwd: z.string(),
  commit: z.string().nullable(),
  branch: z.string().nullable(),
  ran_at: Millis,
});
export type VerificationRun = z.infer<typeof VerificationRun>;

/** Something that was decided, as a commit says it (WM-013). */
export const RecordedDecision = z.strictObject({
  source_type: z.enum(['git', 'review']),
  /** The commit, or the id of the review. */
  source_ref: z.string(),
  title: z.string(),
  body: z.string(),
  /** When it was committed, or the review closed. */
  committed_at: Millis,
});
export type RecordedDecision = z.infer<typeof RecordedDecision>;

/** What somebody is at on a branch (WM-042). */
export const RepositoryTask = z.strictObject({
  goal: z.string(),
  /** Files and folders it may change; none said means any (D-03). */
  scope_paths: Texts,
  started_at: Millis,
});
export type RepositoryTask = z.infer<typeof RepositoryTask>;

/** How the present change stands to a task. */
export const TaskScope = RepositoryTask.extend({
  in_scope_changed: Texts,
  out_of_scope_changed: Texts,
  has_scope_drift: z.boolean(),
});
export type TaskScope = z.infer<typeof TaskScope>;

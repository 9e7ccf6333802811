import * as z from 'zod';
import {
  ActionGuidance,
  AnswerConfidence,
  AnswerEvidence,
  CHECK_TIERS,
  CheckTiers,
  RecordedDecision,
  Freshness,
  Neighbor,
  Risk,
  RiskLevel,
  StructuralLink,
  TaskScope,
  VerificationRun,
} from './repository-memory.ts';
import { listOf, Millis, Texts } from './schema.ts';
import { TranscriptSession } from './transcript-answers.ts';

/* What `pal repo …` answers, by WM-010 to WM-042. */

/** `pal repo index` (WM-010). */
export const IndexReport = z.strictObject({
  repo_root: z.string(),
  /** Null when detached. */
  branch: z.string().nullable(),
  commit_count: z.int(),
  file_count: z.int(),
  /** Pairs of files that are there and changed together at least twice, counted both ways. */
  cochange_edge_count: z.int(),
  source_file_count: z.int(),
  import_link_count: z.int(),
  indexed_at: Millis,
  /** Commits that this call added. */
  added_commits: z.int(),
  /** Why everything was made anew; absent when it was not. */
  rebuilt: z.string().optional(),
  notes: Texts,
});
export type IndexReport = z.infer<typeof IndexReport>;

/** `pal repo doctor` (WM-016). */
export const MemoryHealth = Freshness.omit({ reasons: true }).extend({
  repo_root: z.string(),
  work_tree: z.string(),
  repo_db_path: z.string(),
  repo_db_exists: z.boolean(),
  recommended_next_command: z.string(),
  notes: Texts,
});
export type MemoryHealth = z.infer<typeof MemoryHealth>;

const FileAnswer = z.strictObject({
  path: z.string(),
  freshness: Freshness,
  evidence: AnswerEvidence,
  test_commands: Texts,
  verification: CheckTiers,
  confidence: AnswerConfidence,
  action_guidance: ActionGuidance,
  risk: Risk,
});
export type FileAnswer = z.infer<typeof FileAnswer>;

/** A session of an agent that read or wrote a file, from the index of transcripts. */
export const RelatedSession = z.strictObject({
  id: z.string(),
  /** Of its file: `pal transcript show KEY`. */
  key: z.string(),
  harness: TranscriptSession.shape.harness,
  git_branch: z.string().nullable(),
  updated_at: Millis,
  /** What was asked for in it, as it stands in the transcript: to be read, not to be followed. */
  untrusted_title: z.string(),
});
export type RelatedSession = z.infer<typeof RelatedSession>;
/** Absent without an index of transcripts. */
const RelatedSessions = listOf(RelatedSession).optional();

/** `pal repo explain` (WM-030). */
export const Explanation = FileAnswer.extend({
  summary: z.string(),
  edit_checklist: Texts,
  suggested_tests: Texts,
  blast_radius: Texts,
  structural_links: listOf(StructuralLink),
  recent_commits: listOf(z.strictObject({ sha: z.string(), subject: z.string(), committed_at: Millis })),
  decisions: listOf(RecordedDecision),
  neighbors: listOf(Neighbor),
  /** Lock files, manifests and the like that change with it (FF-156). */
  plumbing: listOf(Neighbor),
  related_sessions: RelatedSessions,
});
export type Explanation = z.infer<typeof Explanation>;

/** `pal repo safe` (WM-031). */
export const SafetyReport = FileAnswer.extend({
  verdict: z.enum(['safe_with_normal_review', 'review_neighbors_first', 'inspect_context_first']),
  summary: z.string(),
  required_checks: Texts,
  suggested_tests: Texts,
  blast_radius: Texts,
});
export type SafetyReport = z.infer<typeof SafetyReport>;

/** `pal repo plan` (WM-032). */
export const EditPlan = FileAnswer.extend({
  goal: z.string(),
  steps: Texts,
  files_to_inspect: Texts,
  tests_to_run: Texts,
  related_sessions: RelatedSessions,
});
export type EditPlan = z.infer<typeof EditPlan>;

/** `pal repo neighbors` (WM-020). */
export const NeighborReport = z.strictObject({
  path: z.string(),
  freshness: Freshness,
  evidence: AnswerEvidence,
  neighbors: listOf(Neighbor),
  plumbing: listOf(Neighbor),
});
export type NeighborReport = z.infer<typeof NeighborReport>;

/** `pal repo risk`: where the next fixes are to be expected (WM-021). */
export const RiskRanking = z.strictObject({
  freshness: Freshness,
  evidence: AnswerEvidence,
  files: listOf(
    Risk.omit({ parts: true, reasons: true, top_neighbors: true }).extend({
      /** What they are ranked by: how often and how lately each was changed, by weights that are measured. */
      hotspot: z.number().min(0),
    }),
  ),
});
export type RiskRanking = z.infer<typeof RiskRanking>;

/** `pal repo changed` (WM-033). */
export const ChangedReport = z.strictObject({
  summary: z.string(),
  index_status: Freshness.shape.index_status,
  recommended_next_command: z.string(),
  freshness: Freshness,
  evidence: AnswerEvidence,
  files: listOf(
    z.strictObject({
      path: z.string(),
      /** Two letters of `git status`. */
      working_tree_status: z.string(),
      risk_level: RiskLevel,
      suggested_tests: Texts,
      blast_radius: Texts,
    }),
  ),
  task: TaskScope.nullable(),
});
export type ChangedReport = z.infer<typeof ChangedReport>;

export const ReviewedFile = z.strictObject({
  path: z.string(),
  change_source: z.enum(['committed', 'working_tree', 'untracked', 'committed+working_tree']),
  risk_level: RiskLevel,
  top_reasons: Texts,
  suggested_tests: Texts,
  blast_radius: Texts,
  boundary_labels: Texts,
  needs_review: z.boolean(),
  needs_tests: z.boolean(),
});
export type ReviewedFile = z.infer<typeof ReviewedFile>;

/** `pal repo review` (WM-034). */
export const RepositoryReview = z.strictObject({
  base_ref: z.string(),
  head_ref: z.string().nullable(),
  summary: z.string(),
  freshness: Freshness,
  evidence: AnswerEvidence,
  changed_files: listOf(ReviewedFile),
  required_tests: Texts,
  test_commands: Texts,
  verification: CheckTiers,
  confidence: AnswerConfidence,
  action_guidance: ActionGuidance,
  task: TaskScope.nullable(),
  boundary_warnings: Texts,
  verification_history: listOf(VerificationRun),
  related_sessions: RelatedSessions,
  notes: Texts,
});
export type RepositoryReview = z.infer<typeof RepositoryReview>;

/** `pal repo handoff` (WM-036). */
export const RepositoryHandoff = z.strictObject({
  summary: z.string(),
  freshness: Freshness,
  evidence: AnswerEvidence,
  review: RepositoryReview,
  changed_now: ChangedReport,
  next_actions: Texts,
  task: TaskScope.nullable(),
  verification_history: listOf(VerificationRun),
  related_sessions: RelatedSessions,
});
export type RepositoryHandoff = z.infer<typeof RepositoryHandoff>;

/** `pal repo preflight` (WM-038). */
export const RepositoryPreflight = z.strictObject({
  task: z.string(),
  summary: z.string(),
  /** Files: those that are named or lie in a folder that is, then what is changed. */
  scope_paths: Texts,
  /** What nothing can be said of, and why. */
  unreadable: listOf(z.strictObject({ path: z.string(), reason: z.string() })),
  changed_now: ChangedReport,
  safe: listOf(SafetyReport),
  risk_summary: listOf(
    z.strictObject({
      path: z.string(),
      level: RiskLevel,
      score: z.number(),
      verdict: SafetyReport.shape.verdict,
    }),
  ),
  files_to_inspect: Texts,
  test_commands: Texts,
  verification: CheckTiers,
  agent_instructions: Texts,
  next_actions: Texts,
  freshness: Freshness,
  evidence: AnswerEvidence,
  /** As it would be with this task, or is with the one of this branch. */
  task_scope: TaskScope.nullable(),
});
export type RepositoryPreflight = z.infer<typeof RepositoryPreflight>;

/** `pal repo decisions` (WM-037). */
export const DecisionList = z.strictObject({
  freshness: Freshness,
  evidence: AnswerEvidence,
  data: listOf(RecordedDecision),
});
export type DecisionList = z.infer<typeof DecisionList>;

/** `pal repo map`: the most important files and what they define, within a budget of tokens. */
export const RepositoryMap = z.strictObject({
  freshness: Freshness,
  evidence: AnswerEvidence,
  /** About how many tokens `text` is, at four characters each. */
  tokens: z.int(),
  budget: z.int(),
  /** Files that are shown, and files there are. */
  shown: z.int(),
  files: z.int(),
  text: z.string(),
});
export type RepositoryMap = z.infer<typeof RepositoryMap>;

/** `pal repo check` (WM-041): every command in order; after one that failed the others are run all the same (D-04). */
export const CheckReport = z.strictObject({
  tier: z.enum(CHECK_TIERS),
  outcome: z.enum(['passed', 'failed']),
  duration_ms: z.int(),
  changed_files: Texts,
  runs: listOf(
    VerificationRun.extend({
      /** The end of what it wrote. */
      output: z.string(),
      output_bytes: z.int(),
    }),
  ),
});
export type CheckReport = z.infer<typeof CheckReport>;

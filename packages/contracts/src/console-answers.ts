import * as z from 'zod';
import { listOf, Millis, Texts } from './schema.ts';
import { LiveTranscripts } from './transcript-answers.ts';

/*
 * What `pal console …` answers, by WM-070 to WM-078: what the sessions of agents on one machine tell each other. Texts in
 * it come from agents: they are redacted and bounded, and nothing in them is true because it is written there.
 */

/** What a session is known by (WM-071). Written as `provider:session_id@machine`. */
export const ConsoleKey = z.strictObject({
  provider: z.string(),
  session_id: z.string(),
  machine: z.string(),
});
export type ConsoleKey = z.infer<typeof ConsoleKey>;

/** What a session says that it does (WM-072). */
export const ConsoleManifest = ConsoleKey.extend({
  cwd: z.string(),
  /** The common git directory of the repository it works in; null outside of one. */
  repository: z.string().nullable(),
  goal: z.string().nullable(),
  current_step: z.string().nullable(),
  /** From the root of the repository. */
  files: Texts,
  next_actions: Texts,
  risks: Texts,
  blockers: Texts,
  stop_condition: z.string().nullable(),
  /** The agent program that wrote it; null where none was found. */
  source_pid: z.int().nullable(),
  updated_at: Millis,
});
export type ConsoleManifest = z.infer<typeof ConsoleManifest>;

/** A lease of a file, or of a folder with everything below it (WM-074). */
export const ConsoleClaim = ConsoleKey.extend({
  id: z.string(),
  repository: z.string(),
  target_type: z.enum(['file', 'directory']),
  /** From the root of the repository, `.` for all of it. */
  target: z.string(),
  intent: z.string().nullable(),
  lease_until: Millis,
  status: z.enum(['active', 'released', 'expired']),
  created_at: Millis,
  /** When it ended. */
  released_at: Millis.nullable(),
});
export type ConsoleClaim = z.infer<typeof ConsoleClaim>;

/** `pal console claim-acquire`: all of the targets, or none. */
export const ConsoleClaimAnswer = z.strictObject({
  status: z.enum(['acquired', 'conflict']),
  /** What the session holds of what it asked for: new or renewed. */
  claims: listOf(ConsoleClaim),
  conflict_ids: Texts,
  /** The claims of others that are in the way. */
  conflicts: listOf(ConsoleClaim),
});
export type ConsoleClaimAnswer = z.infer<typeof ConsoleClaimAnswer>;

export const ConsoleClaimList = z.strictObject({ data: listOf(ConsoleClaim) });
export type ConsoleClaimList = z.infer<typeof ConsoleClaimList>;

/** What one session leaves to another, or to whoever goes on (WM-073). */
export const ConsoleHandoff = z.strictObject({
  id: z.string(),
  from: ConsoleKey,
  /** Null: anybody. */
  to: ConsoleKey.nullable(),
  repository: z.string().nullable(),
  summary: z.string(),
  pending_actions: Texts,
  blockers: Texts,
  status: z.enum(['open', 'accepted']),
  accepted_by: ConsoleKey.nullable(),
  created_at: Millis,
  accepted_at: Millis.nullable(),
});
export type ConsoleHandoff = z.infer<typeof ConsoleHandoff>;

export const ConsoleHandoffList = z.strictObject({ data: listOf(ConsoleHandoff) });
export type ConsoleHandoffList = z.infer<typeof ConsoleHandoffList>;

export const AUTHORITY_STATES = ['requested', 'approved', 'denied', 'dispatched'] as const;

/** Something that a session asks leave for, or asks of another (WM-075). */
export const ConsoleAuthority = z.strictObject({
  id: z.string(),
  /** `message` asks for no leave. */
  level: z.string(),
  action: z.string(),
  /** A session, or whatever the action is about. */
  target: z.string().nullable(),
  details: z.string().nullable(),
  /** A session as `provider:session_id@machine`, or else a person. */
  requested_by: z.string(),
  actor: z.string(),
  idempotency_key: z.string(),
  status: z.enum(AUTHORITY_STATES),
  decided_by: z.string().nullable(),
  reason: z.string().nullable(),
  created_at: Millis,
  decided_at: Millis.nullable(),
  dispatched_at: Millis.nullable(),
});
export type ConsoleAuthority = z.infer<typeof ConsoleAuthority>;

export const ConsoleAuthorityList = z.strictObject({ data: listOf(ConsoleAuthority) });
export type ConsoleAuthorityList = z.infer<typeof ConsoleAuthorityList>;

export const GATE_TYPES = ['human', 'agent', 'any'] as const;
export const GATE_VERDICTS = ['approve', 'allow', 'deny'] as const;

/** Something that waits until enough different attesters allow it (WM-076). */
export const ConsoleGate = z.strictObject({
  id: z.string(),
  event: z.string(),
  /** Who may attest. */
  type: z.enum(GATE_TYPES),
  required_attestations: z.int().min(1),
  status: z.enum(['open', 'satisfied', 'rejected']),
  opened_by: z.string(),
  created_at: Millis,
  closed_at: Millis.nullable(),
  attestations: listOf(
    z.strictObject({
      by: z.string(),
      verdict: z.enum(GATE_VERDICTS),
      evidence: z.string().nullable(),
      at: Millis,
    }),
  ),
});
export type ConsoleGate = z.infer<typeof ConsoleGate>;

export const ConsoleGateList = z.strictObject({ data: listOf(ConsoleGate) });
export type ConsoleGateList = z.infer<typeof ConsoleGateList>;

export const REVIEW_DECISIONS = ['proceed', 'revise', 'decline'] as const;

/** A question of a session to somebody else, with one decision (WM-076). */
export const ConsoleReview = z.strictObject({
  id: z.string(),
  subject: z.string(),
  details: z.string().nullable(),
  repository: z.string().nullable(),
  requested_by: z.string(),
  status: z.enum(['open', 'closed']),
  decision: z.enum(REVIEW_DECISIONS).nullable(),
  decided_by: z.string().nullable(),
  note: z.string().nullable(),
  created_at: Millis,
  closed_at: Millis.nullable(),
});
export type ConsoleReview = z.infer<typeof ConsoleReview>;

export const ConsoleReviewList = z.strictObject({ data: listOf(ConsoleReview) });
export type ConsoleReviewList = z.infer<typeof ConsoleReviewList>;

/** A command that `pal console run` started (WM-077). */
export const ConsoleOwned = z.strictObject({
  id: z.string(),
  /** What it is known by as a session: `owned:ID@MACHINE`. */
  session: z.string(),
  command: Texts,
  cwd: z.string(),
  log: z.string(),
  is_background: z.boolean(),
  runner_pid: z.int().nullable(),
  child_pid: z.int().nullable(),
  /** `unknown`: it was started where its processes cannot be seen from here, and was alive a moment ago. */
  status: z.enum(['starting', 'running', 'exited', 'failed', 'unknown']),
  /** Null while it runs, when a signal ended it, and when nobody was there to see it. */
  exit_code: z.int().nullable(),
  signal: z.string().nullable(),
  /** Why it failed, in one line. */
  failure: z.string().nullable(),
  /** How often this id was run. */
  runs: z.int(),
  started_at: Millis,
  ended_at: Millis.nullable(),
});
export type ConsoleOwned = z.infer<typeof ConsoleOwned>;

export const ConsoleOwnedList = z.strictObject({ data: listOf(ConsoleOwned) });
export type ConsoleOwnedList = z.infer<typeof ConsoleOwnedList>;

/** `pal console read`: the end of what it wrote. */
export const ConsoleOutput = z.strictObject({
  id: z.string(),
  status: ConsoleOwned.shape.status,
  log: z.string(),
  /** Redacted; both streams as they came. */
  lines: Texts,
  /** Whether there is more before them. */
  has_more: z.boolean(),
});
export type ConsoleOutput = z.infer<typeof ConsoleOutput>;

/** `pal console interrupt`. */
export const ConsoleInterrupt = z.strictObject({ owned: ConsoleOwned, event: ConsoleAuthority });
export type ConsoleInterrupt = z.infer<typeof ConsoleInterrupt>;

/** One session as the console sees it (WM-070). */
export const ConsoleSession = ConsoleKey.extend({
  /** Of the agent that runs; null when none is seen. */
  live: LiveTranscripts.shape.sessions.unwrap().element.nullable(),
  manifest: ConsoleManifest.nullable(),
  /** Whether the session acted after it wrote its manifest. */
  manifest_stale: z.boolean(),
  /** Those it holds now. */
  claims: listOf(ConsoleClaim),
  /** Claims that others hold on files its manifest names. */
  conflict_count: z.int(),
  owned: ConsoleOwned.nullable(),
});
export type ConsoleSession = z.infer<typeof ConsoleSession>;

/** `pal console list`. */
export const ConsoleSnapshot = z.strictObject({
  generated_at: Millis,
  host: z.string(),
  sessions: listOf(ConsoleSession),
  /** Agents that have written nothing yet. */
  starting: z.int(),
  notes: Texts,
});
export type ConsoleSnapshot = z.infer<typeof ConsoleSnapshot>;

/** `pal console show`: a session, and what waits for it. */
export const ConsoleSessionDetails = ConsoleSession.extend({
  handoffs: listOf(ConsoleHandoff),
  requests: listOf(ConsoleAuthority),
});
export type ConsoleSessionDetails = z.infer<typeof ConsoleSessionDetails>;

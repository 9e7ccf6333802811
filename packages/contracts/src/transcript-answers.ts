import * as z from 'zod';
import { listOf, Millis, Texts } from './schema.ts';

/* What `pal transcript …` answers, by WM-050 to WM-061. Texts of transcripts in it are redacted and bounded. */

const Harness = z.enum(['claude-code', 'codex', 'gemini-cli', 'copilot', 'opencode']);

/** `pal transcript index`: files by what became of them. */
export const TranscriptIndexReport = z.strictObject({
  database: z.string(),
  session_count: z.int(),
  message_count: z.int(),
  added: z.int(),
  /** Read on from where the last reading ended. */
  appended: z.int(),
  /** What was there is not there any more: read anew. */
  rewritten: z.int(),
  renamed: z.int(),
  /** Gone, and every trace of them with them. */
  removed: z.int(),
  unchanged: z.int(),
  /** Changed within the quiet period, so read next time. */
  busy: z.int(),
  /** No transcript of a harness that is known. */
  unclaimed: z.int(),
  failed: z.int(),
  read_bytes: z.int(),
  roots: listOf(
    z.strictObject({
      path: z.string(),
      machine: z.string(),
      is_included: z.boolean(),
      is_there: z.boolean(),
    }),
  ),
  indexed_at: Millis,
  notes: Texts,
});
export type TranscriptIndexReport = z.infer<typeof TranscriptIndexReport>;

/** Tokens as the providers count them, each answer once. */
export const TranscriptUsage = z.strictObject({
  /** Without those from the cache. */
  input_tokens: z.int(),
  output_tokens: z.int(),
  cache_read_tokens: z.int(),
  cache_write_tokens: z.int(),
});
export type TranscriptUsage = z.infer<typeof TranscriptUsage>;

/** One session of an agent, as one file tells it. */
export const TranscriptSession = z.strictObject({
  /** The harness's own id; of a side conversation with that of its parent before. */
  id: z.string(),
  /** Of its file: tells two files of one session apart. */
  key: z.string(),
  /** The session it is a side conversation of. */
  parent: z.string().nullable(),
  harness: Harness,
  machine: z.string(),
  title: z.string(),
  cwd: z.string().nullable(),
  git_branch: z.string().nullable(),
  model: z.string().nullable(),
  status: z.enum(['seen', 'complete', 'aborted']),
  /** Whether parts of it were left out, for their size. */
  truncated: z.boolean(),
  created_at: Millis.nullable(),
  updated_at: Millis,
  message_count: z.int(),
  /** Its side conversations. */
  side_count: z.int(),
});
export type TranscriptSession = z.infer<typeof TranscriptSession>;

export const TranscriptMessage = z.strictObject({
  /** Of its file, counted from 1. */
  line: z.int(),
  at: Millis.nullable(),
  role: z.enum(['user', 'assistant', 'thinking', 'tool_call', 'tool_result', 'title', 'omitted']),
  tool: z.string().nullable(),
  text: z.string(),
});
export type TranscriptMessage = z.infer<typeof TranscriptMessage>;

/** `pal transcript list`. */
export const TranscriptList = z.strictObject({ data: listOf(TranscriptSession), has_more: z.boolean() });
export type TranscriptList = z.infer<typeof TranscriptList>;

/** `pal transcript show`. */
export const TranscriptDetails = TranscriptSession.extend({
  path: z.string(),
  first_user_message: z.string().nullable(),
  last_agent_message: z.string().nullable(),
  client: z.string().nullable(),
  model_provider: z.string().nullable(),
  cli_version: z.string().nullable(),
  git_origin_url: z.string().nullable(),
  files_touched: Texts,
  commands: Texts,
  tool_names: Texts,
  errors: Texts,
  /** Null when it tells of no tokens. */
  usage: TranscriptUsage.nullable(),
  /** The harness's own count; null when it keeps none. */
  tokens_used: z.int().nullable(),
  /** Ids of its side conversations. */
  sides: Texts,
  reading: z.strictObject({
    lines: z.int(),
    unknown_records: z.int(),
    malformed_lines: z.int(),
    oversized_lines: z.int(),
    skipped_bytes: z.int(),
    indexed_at: Millis,
  }),
  messages: listOf(TranscriptMessage).optional(),
  has_more: z.boolean().optional(),
});
export type TranscriptDetails = z.infer<typeof TranscriptDetails>;

/** A place in a session that a query found. */
export const TranscriptHit = z.strictObject({
  session: TranscriptSession,
  line: z.int(),
  role: TranscriptMessage.shape.role,
  /** What is around the words. */
  snippet: z.string(),
  /** Higher is better; only comparable within one answer. */
  score: z.number(),
  /** Where the session stands in each ranking, from 1. */
  ranks: z.strictObject({ words: z.int().optional(), meaning: z.int().optional() }),
});
export type TranscriptHit = z.infer<typeof TranscriptHit>;

/** `pal transcript search`: one hit a session. */
export const TranscriptSearch = z.strictObject({
  query: z.string(),
  /** How the words were taken: as a query, as one phrase because they are none, or any of them. */
  taken_as: z.enum(['query', 'phrase', 'any', 'meaning', 'hybrid']),
  data: listOf(TranscriptHit),
  notes: Texts,
});
export type TranscriptSearch = z.infer<typeof TranscriptSearch>;

/** `pal transcript grep`: every line that has the pattern. */
export const TranscriptGrep = z.strictObject({
  pattern: z.string(),
  data: listOf(
    z.strictObject({
      session_id: z.string(),
      key: z.string(),
      line: z.int(),
      role: TranscriptMessage.shape.role,
      title: z.string(),
      /** The line of the message, shortened around the match. */
      snippet: z.string(),
    }),
  ),
  has_more: z.boolean(),
});
export type TranscriptGrep = z.infer<typeof TranscriptGrep>;

/** `pal transcript related` (WM-059, L-25). */
export const RelatedTranscripts = z.strictObject({
  repository: z.string(),
  data: listOf(
    z.strictObject({
      session: TranscriptSession,
      score: z.number(),
      /** What each part adds to the score. */
      signals: z.record(z.string(), z.number()).readonly(),
    }),
  ),
  notes: Texts,
});
export type RelatedTranscripts = z.infer<typeof RelatedTranscripts>;

/** `pal transcript stats`. */
export const TranscriptStats = z.strictObject({
  database: z.string(),
  database_bytes: z.int(),
  sessions: z.int(),
  side_conversations: z.int(),
  messages: z.int(),
  files: z.int(),
  /** Files that are no transcript of a known harness. */
  unclaimed_files: z.int(),
  truncated: z.int(),
  unknown_records: z.int(),
  malformed_lines: z.int(),
  oversized_lines: z.int(),
  indexed_at: Millis.nullable(),
  /** Each answer of a model once, in however many files it is; null when no session tells of tokens. */
  usage: TranscriptUsage.nullable(),
  /** Answers that are in more than one file. */
  repeated_answers: z.int(),
  by_harness: listOf(z.strictObject({ harness: Harness, sessions: z.int(), messages: z.int() })),
  by_model: listOf(TranscriptUsage.extend({ model: z.string(), answers: z.int() })),
  embeddings: listOf(
    z.strictObject({
      provider: z.string(),
      model: z.string(),
      chunks: z.int(),
      /** Sessions whose latest state has no vectors yet. */
      backlog: z.int(),
    }),
  ),
});
export type TranscriptStats = z.infer<typeof TranscriptStats>;

/** `pal transcript embed`. */
export const TranscriptEmbedReport = z.strictObject({
  provider: z.string(),
  model: z.string(),
  sessions: z.int(),
  chunks: z.int(),
  /** Chunks whose text had a vector already. */
  reused: z.int(),
  /** Sessions that are left for the next time. */
  backlog: z.int(),
});
export type TranscriptEmbedReport = z.infer<typeof TranscriptEmbedReport>;

/** `pal transcript live` (WM-061). */
export const LiveTranscripts = z.strictObject({
  generated_at: Millis,
  host: z.string(),
  sessions: listOf(
    z.strictObject({
      harness: Harness,
      pid: z.int(),
      tty: z.string().nullable(),
      age_seconds: z.int(),
      /** Null while it is starting up, or when no transcript of it is found. */
      id: z.string().nullable(),
      title: z.string().nullable(),
      first_user_message: z.string().nullable(),
      session_cwd: z.string().nullable(),
      effective_workdir: z.string().nullable(),
      last_active_at: Millis.nullable(),
      git_branch: z.string().nullable(),
      git_origin_url: z.string().nullable(),
      status: z.enum(['seen', 'complete', 'aborted', 'starting']),
      recent_action: z.string().nullable(),
    }),
  ),
  notes: Texts,
});
export type LiveTranscripts = z.infer<typeof LiveTranscripts>;

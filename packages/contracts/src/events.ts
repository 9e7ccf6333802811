import * as z from 'zod';
import { Usage } from './agent.ts';
import { Decision } from './approval.ts';
import { auditEventTypes } from './audit.ts';
import { Authorization } from './authorization.ts';
import { BudgetBreach, BudgetFacts } from './budget.ts';
import { MessageId } from './channel.ts';
import { limits } from './limits.ts';
import { ProjectKey } from './project.ts';
import { Question, RequestId } from './question.ts';
import { Hash, Millis, Name } from './schema.ts';

/** How one attempt ended. `lost`: its worker vanished without a result. */
export const AttemptOutcomeValue = z.enum([
  'succeeded',
  'failed',
  'timed_out',
  'canceled',
  'lost',
  'needs_input',
]);
const verdict = z.strictObject({
  passed: z.boolean(),
  report: z.string().optional(),
  duration_ms: Millis.optional(),
  /** What the verdict is about (FF-143): the command, the patch as it was then, and the test files there were. */
  about: z
    .strictObject({
      command: Hash,
      patch: Hash.optional(),
      tests: z
        .strictObject({ count: z.int().nonnegative(), gone: z.int().nonnegative(), hash: Hash })
        .optional(),
    })
    .optional(),
});
export type Verdict = z.infer<typeof verdict>;
/** A file an item left: its path under `outputs/`, its address and its size in bytes. */
export const OutputRef = z.strictObject({ path: z.string(), ref: Hash, size: z.int().nonnegative() });
export type OutputRef = z.infer<typeof OutputRef>;

/** How one block of the pipeline went (DI-112 … DI-114); `ordinal` counts its blocks from 0. */
export const BlockFacts = z.strictObject({
  kind: z.enum(['setup', 'agent', 'script', 'capture', 'verify']),
  ordinal: z.int().nonnegative(),
  status: z.enum(['ok', 'failed', 'skipped', 'timed_out', 'canceled']),
  exit_code: z.int().optional(),
  duration_ms: Millis,
});
export type BlockFacts = z.infer<typeof BlockFacts>;

/** What a vendor counts for a whole session, whoever went on with it. */
export const SessionSpent = Usage.pick({ input_tokens: true, output_tokens: true, cost_usd: true });
export type SessionSpent = z.infer<typeof SessionSpent>;

/** The vendor's session a coding agent worked in, as the agent itself named it. */
export const AgentSession = z.strictObject({
  harness: Name,
  id: z.string().min(1).max(200),
  /** Version of the vendor's program. */
  version: z.string().max(100).optional(),
  /** The session's files as a bundle, kept where a retry may go on with it. */
  state_ref: Hash.optional(),
  /** All that was used in it so far, where a retry may go on with it. */
  spent: SessionSpent.optional(),
});
export type AgentSession = z.infer<typeof AgentSession>;

/** What passed between an agent and its model, counted outside the sandbox. Bytes are those of bodies. */
export const ModelTraffic = z.strictObject({
  endpoint: Name,
  /** Requests handed on to the endpoint. */
  requests: z.int().nonnegative(),
  /** Of these, answered with an error or not to their end. */
  failed: z.int().nonnegative(),
  /** Requests that were not handed on: another path, another credential, too large. */
  refused: z.int().nonnegative(),
  sent_bytes: z.int().nonnegative(),
  received_bytes: z.int().nonnegative(),
});
export type ModelTraffic = z.infer<typeof ModelTraffic>;

/** What an attempt left, as sealed in the ledger. */
export const ProductFacts = z.strictObject({
  result_ref: Hash.optional(),
  /** A patch of changes on top of overlaid files that cannot be part of the result (FF-012); kept for people. */
  conflicts_ref: Hash.optional(),
  patch: z.strictObject({ files: z.int(), added: z.int(), deleted: z.int(), bytes: z.int() }).optional(),
  outputs: z.array(OutputRef).optional(),
  log_ref: Hash.optional(),
  /** The image that the programs really ran from, where the sandbox was made of one (DI-150). */
  image: Hash.optional(),
  summary: z.string().optional(),
  verify: verdict.optional(),
  usage: Usage.optional(),
  agent_session: AgentSession.optional(),
  model_traffic: ModelTraffic.optional(),
  deps: z.strictObject({ at_setup: Hash, at_finish: Hash, tier: z.literal('recorded') }).optional(),
  /** What it asks a person, when that is how it ended. */
  question: Question.optional(),
  warnings: z.array(z.string()).optional(),
  blocks: z.array(BlockFacts).optional(),
});
export type ProductFacts = z.infer<typeof ProductFacts>;

/** The process that carries out an attempt, named so that no later one can be taken for it (DI-081, FF-038). */
export const WorkerProcess = z
  .string()
  .min(1)
  .max(256)
  .regex(/^[A-Za-z0-9_-]+$/, 'must be a process name');
export type WorkerProcess = z.infer<typeof WorkerProcess>;

const itemAttempt = { item: Name, attempt: z.int().positive(), run: z.string() };
/** What a person is asked, by id and by the address of all that is asked. */
const requestRef = { request: RequestId, request_hash: Hash };

/**
 * Every type of event of a run and the schema of its data. A run and everything under it share one stream,
 * `run:<root run id>`; item and attempt events name the item, the attempt and the child run.
 */
export const runEventTypes = {
  'run.submitted': z.strictObject({
    run: z.string(),
    /** When it is not the default one. */
    project: ProjectKey.optional(),
    title: z.string(),
    queue: Name,
    actor: z.string(),
    items: z.int(),
    plan_ref: Hash,
    open_ended: z.literal(true).optional(),
    workspace: z.strictObject({ kind: z.enum(['git', 'empty']), commit: z.string().optional() }),
    budget: BudgetFacts.optional(),
    rerun_of: z.string().optional(),
    /** The schedule that asked for it; `slot` is the time it was due, and `covers` counts the due times it stands for. Both are absent when somebody asked for it now. */
    schedule: z
      .strictObject({ name: Name, slot: Millis.optional(), covers: z.int().positive().optional() })
      .optional(),
  }),
  'item.fired': z.strictObject({
    ...itemAttempt,
    manifest_ref: Hash,
    holds: z.array(Name).optional(),
    /** What the attempt may cost at most, where the plan says it. */
    reserved_micro_usd: z.int().nonnegative().optional(),
    /** The item's own limits. */
    budget: BudgetFacts.optional(),
  }),
  'item.started': z.strictObject({ ...itemAttempt, sandbox: Name, worker: WorkerProcess }),
  'item.reconciled': z.strictObject({
    ...itemAttempt,
    status: z.enum(['done', 'failed', 'retrying', 'canceled', 'needs_input', 'denied']),
    outcome: AttemptOutcomeValue,
    exit_code: z.int().optional(),
    reason: z.string().optional(),
    code: z.string().optional(),
    product: ProductFacts.optional(),
    posture: z.array(z.string()).optional(),
    next_attempt_at: Millis.optional(),
    /** The question it ended with; its words are in the product. */
    asks: z.strictObject(requestRef).optional(),
  }),
  /** A person answered the question that the attempt ended with; the item may be tried again. */
  'item.answered': z.strictObject({
    item: Name,
    attempt: z.int().positive(),
    ...requestRef,
    actor: z.string(),
    answer_hash: Hash,
  }),
  /** The attempt is a decision of a person (DI-192); `request_hash` addresses its manifest. */
  'item.approval_requested': z.strictObject({
    ...itemAttempt,
    ...requestRef,
    on_expiry: z.enum(['deny', 'approve']),
    expires_at: Millis.optional(),
  }),
  /** The decision, by a person or because time ran out; `record` addresses the record of exactly these facts. */
  'item.decided': z.strictObject({
    ...itemAttempt,
    ...requestRef,
    decision: Decision,
    actor: z.string(),
    decided_at: Millis,
    reason: z.string().optional(),
    record: Hash,
  }),
  /** Somebody sent its agent a message (DI-121); `message_hash` addresses all about it, and what it says is not told. */
  'item.message_sent': z.strictObject({
    item: Name,
    message: MessageId,
    seq: z.int().positive(),
    actor: z.string(),
    bytes: z.int().positive(),
    message_hash: Hash,
  }),
  /** The messages of the item up to this one lie in the inbox of the attempt, while its agent runs. */
  'item.messages_delivered': z.strictObject({ ...itemAttempt, through: z.int().positive() }),
  'item.skipped': z.strictObject({ item: Name, because: Name }),
  'item.canceled': z.strictObject({ item: Name, reason: z.string() }),
  /** The item is not carried out: it was denied, or nobody let its effect through. */
  'item.denied': z.strictObject({
    item: Name,
    reason: z.string(),
    authorization: Authorization.omit({ reason: true }),
  }),
  'item.failed': z.strictObject({
    item: Name,
    reason: z.string(),
    code: z.string(),
    /** The item's own limit that was reached, with the code `budget_exceeded`. */
    breach: BudgetBreach.optional(),
  }),
  'run.cancel_requested': z.strictObject({
    actor: z.string(),
    item: Name.optional(),
    reason: z.string().optional(),
  }),
  /** From here on no attempt of the run starts, until it is resumed. */
  'run.paused': z.strictObject({ actor: z.string(), reason: z.string().optional() }),
  'run.resumed': z.strictObject({ actor: z.string() }),
  /** The run's limits from here on. */
  'run.budget_set': z.strictObject({ actor: z.string(), budget: BudgetFacts }),
  /** A limit of the run was reached and kept something from starting: what is left of it ends here. */
  'run.budget_exceeded': z.strictObject({ breach: BudgetBreach }),
  /**
   * The run came to have further items (DI-204), in this order; `part_ref` addresses what they are, `cause` is
   * the item whose end made them.
   */
  'run.extended': z.strictObject({
    actor: z.string(),
    cause: Name.optional(),
    part_ref: Hash,
    items: z.array(Name).min(1).max(limits.partItems),
  }),
  /** Nothing can be added to an open-ended run any more (DI-205). */
  'run.closed': z.strictObject({ actor: z.string() }),
  /** The good end of `by` counts instead of that of `item`, e.g. a repeated gate instead of the red one. */
  'item.settled': z.strictObject({ item: Name, by: Name }),
  /** The run could not grow as the plan wanted when this item ended; it cannot end well any more. */
  'item.growth_refused': z.strictObject({ item: Name, reason: z.string() }),
  'run.recovered': z.strictObject({ fence: z.int(), adopted: z.int(), reattached: z.int(), lost: z.int() }),
  'run.completed': z.strictObject({
    run: z.string(),
    status: z.enum(['completed', 'failed', 'canceled', 'timed_out', 'budget_exceeded']),
    counts: z.record(z.string(), z.int()),
    reason: z.string().optional(),
  }),
} as const;

/** Every event type and the schema of its data. What is done to the installation is in a stream of its own, `AUDIT_STREAM`. */
export const eventTypes = { ...runEventTypes, ...auditEventTypes } as const;

export type RunEventType = keyof typeof runEventTypes;
export type EventType = keyof typeof eventTypes;
export type EventData<T extends EventType> = z.infer<(typeof eventTypes)[T]>;

/** One committed fact. `seq` counts from 0 without gaps in its stream; `hash` chains it to its predecessor. */
export interface JournalEvent<T extends EventType = EventType> {
  readonly stream: string;
  readonly seq: number;
  readonly type: T;
  readonly at: number;
  readonly data: EventData<T>;
  readonly hash: string;
}

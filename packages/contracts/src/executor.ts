import type { ContentHash } from './canonical-json.ts';
import type { AttemptSpec } from './attempt.ts';
import type { InboxMessage } from './channel.ts';
import type { BlobStore } from './blobs.ts';
import type { ProductFacts, WorkerProcess } from './events.ts';
import type { AttemptOutcome } from './states.ts';

/** What an executor is asked to carry out; its intent and manifest are committed already. */
export interface AttemptIntent {
  readonly runId: string;
  readonly rootRunId: string;
  readonly itemId: string;
  readonly attempt: number;
  readonly deadlineAt: number;
  /** Paths of outputs that other items need: they come first where the record has not room for all. */
  readonly neededOutputs: readonly string[];
  /** The full worker specification, built when it is needed: a recovered attempt may not need it. */
  readonly spec: () => Promise<PreparedAttempt>;
  /** Told of every failed try of something that is tried again: the attempt stands still meanwhile. */
  readonly onTrouble?: (error: unknown) => void;
  /** Told when the messages up to this one lie where the agent reads them; before `ended`, and only with growing numbers. */
  readonly onDelivered?: (through: number) => void;
}

export interface PreparedAttempt {
  readonly spec: AttemptSpec;
  /** Resolved at this moment, handed over a pipe, kept nowhere. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** An attempt's end, with its files already stored durably: what `product` refers to is in the blob store. */
export interface AttemptEnd {
  readonly outcome: AttemptOutcome;
  readonly exitCode?: number;
  readonly code?: string;
  readonly reason?: string;
  /** False when trying again cannot help, e.g. a malformed capability. */
  readonly retryable: boolean;
  readonly product: ProductFacts;
  /** Addresses of all its outputs, where `product` leaves some to a listing. */
  readonly listed?: readonly ContentHash[];
  readonly posture: readonly string[];
}

/** An attempt under way. */
export interface Execution {
  /** Resolves before `ended` with the process that carries the attempt out, or with null when none ever did. */
  readonly started: Promise<WorkerProcess | null>;
  /** Resolves exactly once and never rejects. */
  readonly ended: Promise<AttemptEnd>;
  /** Asks for the end; idempotent. `ended` still resolves. */
  cancel(reason: string): void;
  /**
   * Hands messages on to the agent, in their order and without a gap to those before; also those its specification had. What
   * cannot be handed on is no fault of the attempt. Absent where nothing reaches a running agent: it has those of its specification.
   */
  deliver?(messages: readonly InboxMessage[]): void;
  /** Stops observing without stopping the work, when the run has a new owner. */
  detach(): void;
  /** Removes what the attempt left on this machine. Called after its end is committed; idempotent. */
  release(): Promise<void>;
}

/**
 * Carries out attempts. Every effect is named by the attempt's id, so after a crash `recover` can look
 * for it before anything is repeated (DI-177).
 */
export interface Executor {
  readonly name: string;
  fire(intent: AttemptIntent): Execution;
  /**
   * For an attempt whose intent is committed but whose end is not: adopts a finished result,
   * re-attaches to live work, or settles that the attempt is lost and can never start any more.
   */
  recover(
    intent: AttemptIntent,
  ): Promise<{ readonly how: 'adopted' | 'reattached' | 'lost'; readonly execution: Execution }>;
  /**
   * Removes what an ended attempt left on this machine, when no execution of it is at hand. Idempotent.
   * `invalid_state` while the attempt is open and has left a result: that may be its product's only copy.
   */
  discard(attemptId: string): Promise<void>;
}

/** What an executor of somebody else is given of the control plane it works for. */
export interface ExecutorHost {
  /** Where the files of a product go before the attempt's end is told. */
  readonly blobs: BlobStore;
  /** A directory of this control plane, made when it is needed, for what has to be found again after a crash. Executors share it. */
  readonly directory: string;
  /** True while the end of the attempt is not committed: what it left may be the only copy of its product. */
  readonly isOpen: (attemptId: string) => Promise<boolean>;
  /** Told of trouble that an attempt outlives. */
  readonly onFault: (error: unknown, attemptId: string) => void;
}

/** Makes an executor for one control plane; the default export of an executor's module. */
export type ExecutorFactory = (host: ExecutorHost) => Executor | Promise<Executor>;

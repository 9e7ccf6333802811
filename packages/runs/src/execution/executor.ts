import type { AttemptOutcome, AttemptSpec, ProductFacts, WorkerProcess } from '@palisade/contracts';

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
}

export interface PreparedAttempt {
  readonly spec: AttemptSpec;
  /** Resolved at this moment, handed over a pipe, kept nowhere. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** An attempt's end, with its files already stored durably. */
export interface AttemptEnd {
  readonly outcome: AttemptOutcome;
  readonly exitCode?: number;
  readonly code?: string;
  readonly reason?: string;
  /** False when trying again cannot help, e.g. a malformed capability. */
  readonly retryable: boolean;
  readonly product: ProductFacts;
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

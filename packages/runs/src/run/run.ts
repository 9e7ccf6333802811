import type {
  AttemptOutcome,
  BudgetFacts,
  ContentHash,
  RunState,
  Spent,
  WorkerProcess,
} from '@palisade/contracts';

/** Where a run's workspaces start. `topLevel` and `gitDir` are paths on the machine that submitted it. */
export type RunBase =
  | {
      readonly kind: 'git';
      readonly topLevel: string;
      readonly gitDir: string;
      readonly commit: string;
      /** A label only: the commit is the base. */
      readonly branch?: string;
    }
  | { readonly kind: 'empty' };

/** The operator's side of a root run, frozen at admission. */
export interface RunSettings {
  readonly sandbox: string;
  readonly allowNetwork: boolean;
}

/** A root run as stored. Times are protected milliseconds. */
export interface RootRun {
  readonly id: string;
  readonly project: string;
  readonly kind: 'plan';
  readonly state: RunState;
  readonly title: string;
  readonly queue: string;
  /** Among the runs of its queue; see `fair-share.ts` of the plans. */
  readonly priority: number;
  readonly actor: string;
  readonly submittedAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly deadlineAt: number | null;
  readonly reason: string | null;
  readonly cancelRequestedAt: number | null;
  readonly cancelReason: string | null;
  readonly pause: { readonly at: number; readonly by: string; readonly reason: string | null } | null;
  readonly base: RunBase;
  readonly settings: RunSettings;
  readonly planRef: ContentHash;
  readonly requestHash: string;
  readonly rerunOf: string | null;
  /** Takes further items until it is closed (DI-205). */
  readonly isOpenEnded: boolean;
  readonly sealedAt: number | null;
  /** Limits of what its attempts together may use, as they are now. */
  readonly budget: BudgetFacts | null;
  /** What they used, as far as anybody told; null while nobody did and there are no limits. */
  readonly spent: Spent | null;
}

/** One fired attempt of an item, stored as a child run. */
export interface ChildRun {
  readonly id: string;
  readonly rootRunId: string;
  readonly itemId: string;
  readonly attempt: number;
  readonly state: RunState;
  readonly startedAt: number;
  readonly finishedAt: number | null;
  readonly deadlineAt: number;
  /** Null while it has not ended. */
  readonly outcome: AttemptOutcome | null;
  readonly exitCode: number | null;
  readonly code: string | null;
  readonly reason: string | null;
  /** Null until it is known to have started. */
  readonly worker: WorkerProcess | null;
  readonly manifestRef: ContentHash;
}

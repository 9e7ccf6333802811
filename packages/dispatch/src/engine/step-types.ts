import type { InboxMessage, RunState, WorkerProcess } from '@palisade/contracts';
import type { Lease } from '@palisade/kernel';
import type { AttemptEnd, RootRun } from '@palisade/runs';
import type { GrowthMaterial, GrowthRule } from '../growth/growth-rule.ts';
import type { FrozenGrowth } from '../plans/frozen-plan.ts';
import type { QuestionRequest } from '../requests/request-store.ts';
import type { AttemptInput } from './attempt-inputs.ts';
import type { EarlierAttempt } from './earlier-attempt.ts';
import type { Account } from '../flow/account.ts';
import type { Held } from '../flow/hold.ts';
import type { OwnClaim } from '../flow/slots.ts';
import type { DecisionOf, Undecided } from './decisions.ts';
import type { Doomed, ItemFacts } from './item-facts.ts';
import type { PlanGraph } from './plan-graph.ts';

/** An attempt of this owner's run that ended. */
export interface AttemptEnded {
  readonly ordinal: number;
  readonly childRunId: string;
  readonly end: AttemptEnd;
  readonly material: GrowthMaterial | null;
}

/** An attempt of this owner's run that is known to be carried out. */
export interface AttemptStarted {
  readonly ordinal: number;
  readonly childRunId: string;
  readonly worker: WorkerProcess;
}

/** An attempt in whose inbox the messages up to this one lie. */
export interface AttemptDelivered {
  readonly ordinal: number;
  readonly childRunId: string;
  readonly through: number;
}

export interface StepInput {
  readonly run: RootRun;
  readonly lease: Lease;
  readonly graph: PlanGraph;
  readonly started: readonly AttemptStarted[];
  readonly ended: readonly AttemptEnded[];
  readonly delivered: readonly AttemptDelivered[];
  /** The last message handed on to each attempt under way that takes messages, by ordinal. */
  readonly handedOn: ReadonlyMap<number, number>;
  /** The run's control position as of the owner's last step. */
  readonly controlSeq: number;
  /** Items that may start, oldest first; those in line for locks are in `waiting` instead. */
  readonly ready: Iterable<number>;
  /** Items first in every line of this run, with their tickets. */
  readonly waiting: ReadonlyMap<number, number>;
  /** True for an item that has a ticket, first in its lines or not. */
  readonly isQueued: (ordinal: number) => boolean;
  /** Items behind one that did not end `done`, not settled yet. */
  readonly doomed: readonly Doomed[];
  readonly decisionOf: DecisionOf;
  /** Who is known to be in trouble: items, and null for the run itself. */
  readonly troubled: ReadonlySet<string | null>;
  /** Slots recorded for this run so far. */
  readonly used: number;
  readonly account: Account;
  readonly claim: OwnClaim;
  /** Why the run cannot go on, when what is stored of it cannot be read. */
  readonly damage: string | null;
  /** The run-level deadline passed. */
  readonly overdue: boolean;
  readonly recovered: { readonly adopted: number; readonly reattached: number; readonly lost: number } | null;
  readonly random: () => number;
  /** What rules of items that ended read besides the facts. */
  readonly materials: ReadonlyMap<number, GrowthMaterial>;
  readonly ruleOf: (kind: FrozenGrowth['kind']) => GrowthRule;
}

export interface Fired {
  readonly ordinal: number;
  readonly childRunId: string;
  readonly attempt: number;
  readonly deadlineAt: number;
  readonly inputs: readonly AttemptInput[];
  readonly earlier: EarlierAttempt | null;
  readonly answers: readonly QuestionRequest[];
}

export interface StepResult {
  /** Protected time of the step: back-offs and deadlines are compared with it, never with a clock that may jump. */
  readonly now: number;
  readonly changes: ReadonlyMap<number, ItemFacts>;
  readonly freed: readonly number[];
  readonly fired: readonly Fired[];
  /** Items that drew a ticket in this step. */
  readonly queued: ReadonlyMap<number, number>;
  /** Attempts that could start, once somebody decided whether they may. */
  readonly undecided: readonly Undecided[];
  readonly used: number;
  /** Whose trouble is over with this step. */
  readonly relieved: readonly (string | null)[];
  readonly controlSeq: number;
  /** What agents are to be given now, by ordinal. */
  readonly messages: ReadonlyMap<number, readonly InboxMessage[]>;
  /** Items whose attempt is to be stopped now. */
  readonly stop: readonly number[];
  /** There are parts of the run that the graph does not know yet. */
  readonly hasGrown: boolean;
  /** What is left to be skipped by the next step. */
  readonly doomed: readonly Doomed[];
  /** More could be settled at once. */
  readonly more: boolean;
  readonly held: Held;
  readonly claim: OwnClaim;
  readonly account: Account;
  readonly finished: RunState | null;
  /** The run's state after the step. */
  readonly state: RunState;
  /** When the next request expires that nobody answered, protected ms. */
  readonly expiresAt: number | null;
}

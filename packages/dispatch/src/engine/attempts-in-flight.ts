import { faultPoint, type InboxMessage } from '@palisade/contracts';
import {
  type AttemptEnd,
  type AttemptIntent,
  brokenEnd,
  type Execution,
  type Executor,
  type PreparedAttempt,
  type RootRun,
} from '@palisade/runs';
import type { GrowthMaterial } from '../growth/growth-rule.ts';
import type { FrozenItem } from '../plans/frozen-plan.ts';
import type { QuestionRequest } from '../requests/request-store.ts';
import type { AttemptInput } from './attempt-inputs.ts';
import { checkedEnd } from './checked-end.ts';
import type { EarlierAttempt } from './earlier-attempt.ts';
import type { PlanGraph } from './plan-graph.ts';
import type { AttemptDelivered, AttemptEnded, AttemptStarted } from './step-types.ts';

const LOOK_AGAIN_MS = 1_000;

/** One attempt with all it needs to be prepared. */
export interface AttemptRef {
  readonly run: RootRun;
  readonly graph: PlanGraph;
  readonly ordinal: number;
  readonly childRunId: string;
  readonly attempt: number;
  readonly deadlineAt: number;
  readonly inputs: readonly AttemptInput[];
  /** The earlier attempt it goes on with, or null when it begins anew. */
  readonly earlier: EarlierAttempt | null;
  /** What its item asked before, answered. */
  readonly answers: readonly QuestionRequest[];
  /** What its item was sent before it began. */
  readonly messages: readonly InboxMessage[];
}

/** How the attempts of an earlier owner were found. */
export interface Recovered {
  readonly adopted: number;
  readonly reattached: number;
  readonly lost: number;
}

/** What attempts did since the last step, oldest first. */
export interface AttemptNews {
  readonly started: readonly AttemptStarted[];
  readonly ended: readonly AttemptEnded[];
  readonly delivered: readonly AttemptDelivered[];
}

export const NO_NEWS: AttemptNews = { started: [], ended: [], delivered: [] };

export interface AttemptsInFlightDeps {
  readonly executors: ReadonlyMap<string, Executor>;
  /** Builds what a worker needs for one attempt, at the moment it is needed. */
  readonly prepare: (attempt: AttemptRef) => Promise<PreparedAttempt>;
  /** An attempt's end as what it left lets it count; asked again when it rejects. */
  readonly judge: (item: FrozenItem, end: AttemptEnd) => Promise<AttemptEnd>;
  /** What the rule of an item that ended reads besides the facts; null for nothing; asked again when it rejects. */
  readonly material: (item: FrozenItem, end: AttemptEnd) => Promise<GrowthMaterial | null>;
  readonly onNews: () => void;
  /** A try that failed and is made again: the item, or with it the run, stands still meanwhile. */
  readonly onTrouble: (itemId: string, error: unknown) => void;
  readonly onFault: (error: unknown) => void;
}

/** The attempts one owner has under way: starts and finds them, and collects what becomes of them. */
export class AttemptsInFlight {
  readonly #deps: AttemptsInFlightDeps;
  readonly #executions = new Map<number, Execution>();
  readonly #removals = new Set<Promise<void>>();
  #started: AttemptStarted[] = [];
  #ended: AttemptEnded[] = [];
  #delivered: AttemptDelivered[] = [];
  readonly #handedOn = new Map<number, number>();
  #detached = false;

  constructor(deps: AttemptsInFlightDeps) {
    this.#deps = deps;
  }

  get hasNews(): boolean {
    return this.#started.length > 0 || this.#ended.length > 0 || this.#delivered.length > 0;
  }

  /** The last message handed on to each attempt that takes messages, by ordinal. */
  get handedOn(): ReadonlyMap<number, number> {
    return this.#handedOn;
  }

  /** Hands out at most `limit` starts and `limit` ends, for a step that records them; what came to inboxes before those ends. */
  take(limit: number): AttemptNews {
    return {
      started: this.#started.splice(0, limit),
      ended: this.#ended.splice(0, limit),
      delivered: this.#delivered.splice(0),
    };
  }

  /** The step that was to record them failed. */
  giveBack({ started, ended, delivered }: AttemptNews): void {
    this.#started.unshift(...started);
    this.#ended.unshift(...ended);
    this.#delivered.unshift(...delivered);
  }

  /** Carries out an attempt whose intent is committed. One that cannot start ends, so that others do. */
  start(attempt: AttemptRef): void {
    const { ordinal, childRunId } = attempt;
    try {
      this.#watch(attempt, this.#executor(attempt).fire(this.#intent(attempt)));
    } catch (error) {
      this.#deps.onFault(error);
      this.#settle(ordinal, childRunId, { ...brokenEnd(error, 'start_failed'), retryable: false }, null);
    }
  }

  /** Looks for every effect that was intended before anything is repeated (DI-177); null when detached meanwhile. */
  async recover(open: readonly AttemptRef[]): Promise<Recovered | null> {
    const found = { adopted: 0, reattached: 0, lost: 0 };
    for (const attempt of open) {
      const recovered = await this.#insist(attempt, () =>
        this.#executor(attempt).recover(this.#intent(attempt)),
      );
      if (recovered === null) return null;
      found[recovered.how]++;
      this.#watch(attempt, recovered.execution);
    }
    return found;
  }

  /** Hands on what came for an agent; nothing of an attempt that is over. */
  deliver(ordinal: number, messages: readonly InboxMessage[]): void {
    if (!this.#handedOn.has(ordinal)) return;
    this.#handedOn.set(ordinal, messages.at(-1)?.seq ?? 0);
    this.#executions.get(ordinal)?.deliver?.(messages);
  }

  cancel(ordinal: number): void {
    this.#executions.get(ordinal)?.cancel('canceled on request');
  }

  /** The attempt's end is committed: what it left on this machine may go. */
  release(ordinal: number): void {
    const execution = this.#executions.get(ordinal);
    if (execution === undefined) return;
    this.#executions.delete(ordinal);
    this.#handedOn.delete(ordinal);
    faultPoint('release.before-cleanup');
    const removal = execution.release().catch((error: unknown) => this.#deps.onFault(error));
    this.#removals.add(removal);
    void removal.then(() => this.#removals.delete(removal));
  }

  /** Resolves when nothing is left of the attempts released so far: a workspace may hold secrets. */
  async removed(): Promise<void> {
    await Promise.all(this.#removals);
  }

  /** Leaves every attempt to another owner, without stopping it. */
  detach(): void {
    this.#detached = true;
    for (const execution of this.#executions.values()) execution.detach();
  }

  /** Looks until it knows: what could not be looked for may be there, and must not be repeated. Null when detached meanwhile. */
  async #insist<T>(attempt: AttemptRef, look: () => Promise<T>): Promise<T | null> {
    while (!this.#detached) {
      try {
        return await look();
      } catch (error) {
        this.#deps.onFault(error);
        this.#deps.onTrouble(itemOf(attempt).id, error);
        await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
      }
    }
    return null;
  }

  #watch(attempt: AttemptRef, execution: Execution): void {
    const { ordinal, childRunId } = attempt;
    this.#executions.set(ordinal, execution);
    if (itemOf(attempt).channel === true) this.#handedOn.set(ordinal, 0);
    void execution.started
      .catch(() => null)
      .then((worker) => {
        if (worker === null || this.#detached) return;
        this.#started.push({ ordinal, childRunId, worker });
        this.#deps.onNews();
      });
    const ended = execution.ended.then(checkedEnd).catch((error: unknown) => {
      this.#deps.onFault(error);
      return brokenEnd(error, 'provider_failed');
    });
    void ended.then(async (told) => {
      const item = itemOf(attempt);
      const judged = await this.#insist(attempt, async () => {
        const end = await this.#deps.judge(item, told);
        return { end, material: await this.#deps.material(item, end) };
      });
      if (judged !== null) this.#settle(ordinal, childRunId, judged.end, judged.material);
    });
  }

  #settle(ordinal: number, childRunId: string, end: AttemptEnd, material: GrowthMaterial | null): void {
    if (this.#detached) return;
    this.#ended.push({ ordinal, childRunId, end, material });
    this.#deps.onNews();
  }

  #noteDelivered({ ordinal, childRunId }: AttemptRef, through: number): void {
    if (this.#detached) return;
    this.#delivered.push({ ordinal, childRunId, through });
    this.#deps.onNews();
  }

  #executor(attempt: AttemptRef): Executor {
    const name = itemOf(attempt).executor;
    const executor = this.#deps.executors.get(name);
    if (executor === undefined) throw new Error(`no executor ${name} in this process`);
    return executor;
  }

  #intent(attempt: AttemptRef): AttemptIntent {
    const { id, channel } = itemOf(attempt);
    return {
      runId: attempt.childRunId,
      rootRunId: attempt.run.id,
      itemId: id,
      attempt: attempt.attempt,
      deadlineAt: attempt.deadlineAt,
      neededOutputs: attempt.graph.neededOutputs(attempt.ordinal),
      spec: () => this.#deps.prepare(attempt),
      onTrouble: (error) => this.#deps.onTrouble(id, error),
      ...(channel === true
        ? { onDelivered: (through: number) => this.#noteDelivered(attempt, through) }
        : {}),
    };
  }
}

function itemOf({ graph, ordinal }: AttemptRef): ReturnType<PlanGraph['item']> {
  return graph.item(ordinal);
}

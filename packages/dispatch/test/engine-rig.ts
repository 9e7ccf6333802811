import { callerOf, getRun, type OperationCaller, PalisadeError, type RunState } from '@palisade/contracts';
import { type Database, JournalWatch } from '@palisade/kernel';
import type { OpenDatabase } from '@palisade/kernel/testing';
import {
  type AttemptEnd,
  type AttemptIntent,
  type Execution,
  type Executor,
  runMigrations,
} from '@palisade/runs';
import { afterEach, expect } from 'vitest';
import {
  type Authority,
  Engine,
  type EngineOptions,
  OWN_SHAPES,
  type PlanDeps,
  planMigrations,
  planOperations,
  putLimits,
  queueOperations,
  scheduleMigrations,
  scheduleOperations,
} from '../src/index.ts';
import { ledgerProblems } from './ledger-problems.ts';

export const migrations = [...runMigrations, ...planMigrations, ...scheduleMigrations];

export const done = (change: Partial<AttemptEnd> = {}): AttemptEnd => ({
  outcome: 'succeeded',
  retryable: false,
  product: {},
  posture: [],
  ...change,
});
export const failed = (change: Partial<AttemptEnd> = {}): AttemptEnd => ({
  outcome: 'failed',
  retryable: true,
  reason: 'exit 1',
  product: {},
  posture: [],
  ...change,
});

/** The queue that plans use which name none. */
const DEFAULT_QUEUE = { project: 'default', name: 'default' };

/** What the attempts of a test do: returns an end at once or later; undefined leaves the attempt open. */
export type Behaviour = (
  intent: AttemptIntent,
  signal: AbortSignal,
) => AttemptEnd | Promise<AttemptEnd> | undefined;

/** An executor at the engine's seam whose attempts do what the test says; it records every start. */
export class ScriptedExecutor implements Executor {
  readonly name = 'local';
  readonly started: AttemptIntent[] = [];
  readonly released: string[] = [];
  /** What was handed on to attempts, as `item#attempt` and the numbers of the messages. */
  readonly handedOn: (readonly [string, readonly number[]])[] = [];
  /** How far an attempt's inbox is said to have come when it was handed that many; default: as far as that. */
  comesTo: (last: number) => number = (last) => last;
  readonly open = new Map<string, { intent: AttemptIntent; end: (end: AttemptEnd) => void }>();
  behaviour: Behaviour;
  /** What removing the remains of an attempt waits for. */
  removal: Promise<void> = Promise.resolve();
  /** False for one that never tells that an attempt has started. */
  tellsStarts = true;
  /** What a new owner finds of an attempt it did not start. */
  found: (intent: AttemptIntent) => { how: 'adopted' | 'reattached' | 'lost'; end?: AttemptEnd } = () => ({
    how: 'lost',
    end: LOST,
  });

  constructor(behaviour: Behaviour = () => done()) {
    this.behaviour = behaviour;
  }

  fire(intent: AttemptIntent): Execution {
    this.started.push(intent);
    const abort = new AbortController();
    const end = this.behaviour(intent, abort.signal);
    return this.#execution(intent, end, abort);
  }

  async recover(intent: AttemptIntent) {
    const { how, end } = this.found(intent);
    return { how, execution: this.#execution(intent, end, new AbortController()) };
  }

  async discard(): Promise<void> {}

  /** Names of the items started so far, in order. */
  get items(): string[] {
    return this.started.map((intent) => intent.itemId);
  }

  #execution(
    intent: AttemptIntent,
    end: AttemptEnd | Promise<AttemptEnd> | undefined,
    abort: AbortController,
  ): Execution {
    const ended =
      end === undefined
        ? new Promise<AttemptEnd>((resolve) =>
            this.open.set(`${intent.itemId}#${intent.attempt}`, { intent, end: resolve }),
          )
        : Promise.resolve(end);
    return {
      started: this.tellsStarts ? Promise.resolve('worker-of-the-test') : new Promise(() => {}),
      ended,
      cancel: (reason) => {
        abort.abort();
        this.open
          .get(`${intent.itemId}#${intent.attempt}`)
          ?.end({ outcome: 'canceled', retryable: false, reason, product: {}, posture: [] });
      },
      detach: () => {},
      deliver: (messages) => {
        this.handedOn.push([`${intent.itemId}#${intent.attempt}`, messages.map(({ seq }) => seq)]);
        const through = this.comesTo(messages.at(-1)?.seq ?? 0);
        if (through > 0) intent.onDelivered?.(through);
      },
      release: async () => {
        await this.removal;
        this.released.push(intent.runId);
      },
    };
  }
}

export const LOST: AttemptEnd = {
  outcome: 'lost',
  retryable: true,
  code: 'worker_lost',
  product: {},
  posture: [],
};

export interface EngineRig {
  readonly ops: OperationCaller;
  /** What the operations work with. */
  readonly deps: PlanDeps;
  readonly engine: Engine;
  readonly faults: unknown[];
  /** The end of a run, as the engine reports it. */
  ended(runId: string): Promise<RunState>;
  /** Stops the engine. Whatever a test did to the runs it ended: a verifier finds nothing wrong with them. */
  stop(): Promise<void>;
}

/** A plan item whose agent is a command. */
export const command = (id: string, more: Record<string, unknown> = {}) => ({ id, command: 'true', ...more });

/** The states of a run's items by id. */
export async function statesOf(rig: EngineRig, run: string): Promise<Record<string, string>> {
  const { items } = await rig.ops.call(getRun, { run });
  return Object.fromEntries(items.map((item) => [item.id, item.state]));
}

interface RigOptions {
  readonly concurrency?: number;
  readonly leaseMs?: number;
  /** True for one that takes no runs. */
  readonly isIdle?: boolean;
  readonly maxWaiting?: number;
  readonly judge?: EngineOptions['judge'];
  readonly material?: EngineOptions['material'];
  readonly authority?: Authority;
  readonly deps?: Partial<PlanDeps>;
}

/** Starts engines for a suite, on the test's database or a given one, and stops them after each test. */
export function engineStarter(open: OpenDatabase) {
  const rigs: EngineRig[] = [];
  afterEach(async () => {
    await Promise.all(rigs.splice(0).map((rig) => rig.stop()));
  });
  return async (
    executor: ScriptedExecutor,
    options: RigOptions & { readonly database?: Database } = {},
  ): Promise<EngineRig> => {
    const rig = await engineRig(options.database ?? (await open({ migrations })), executor, options);
    rigs.push(rig);
    return rig;
  };
}

/** An engine over a real database with a scripted executor. */
async function engineRig(
  database: Database,
  executor: ScriptedExecutor,
  options: RigOptions,
): Promise<EngineRig> {
  const faults: unknown[] = [];
  const states = new Map<string, RunState>();
  const waiting = new Map<string, (state: RunState) => void>();
  const unverified: string[] = [];
  const concurrency = options.concurrency ?? 64;
  await database.write((tx) =>
    putLimits(tx, { ...DEFAULT_QUEUE, concurrency, rate: null, maxOpenRuns: null, maxPriority: null }),
  );
  const engine = new Engine({
    database,
    executors: new Map([[executor.name, executor]]),
    prepare: async () => {
      throw new PalisadeError('internal', 'a scripted attempt is not prepared');
    },
    onFault: (error) => faults.push(error),
    onFinished: (runId, state) => {
      states.set(runId, state);
      unverified.push(runId);
      waiting.get(runId)?.(state);
    },
    ...(options.leaseMs === undefined ? {} : { leaseMs: options.leaseMs }),
    ...(options.judge === undefined ? {} : { judge: options.judge }),
    ...(options.material === undefined ? {} : { material: options.material }),
    ...(options.authority === undefined ? {} : { authority: options.authority }),
    ...(options.maxWaiting === undefined ? {} : { maxWaiting: options.maxWaiting }),
  });
  const unknown = (name: string) => {
    throw new PalisadeError('not_found', `unknown name "${name}"`);
  };
  const deps: PlanDeps = {
    database,
    blobs: { get: async () => Buffer.alloc(0) } as never,
    names: () => ({
      agent: async (name) => unknown(name),
      capability: async (name) => unknown(name),
      environment: async (name) => unknown(name),
      modelEndpoint: async (name) => unknown(name),
      pipeline: async (name) => unknown(name),
    }),
    isActive: async () => true,
    executors: new Set([executor.name]),
    shapes: OWN_SHAPES,
    attemptsRoot: '/nonexistent',
    resolveBase: async () => ({ base: { kind: 'empty' }, warnings: [] }),
    follow: (positions, signal) => new JournalWatch(database).follow(positions, signal),
    isOffered: async (repository) => repository.startsWith('/offered/'),
    chooseSandbox: async () => ({ name: 'process', isolation: 'unsandboxed-host', warnings: [] }),
    scanText: () => {},
    notifications: { endpoints: async () => [], subscribe: async () => {} },
    startRun: (tx, run, plan) => engine.startRun(tx, run, plan),
    onControl: (runId) => engine.poke(runId),
    ...(options.authority === undefined ? {} : { authority: options.authority }),
    ...options.deps,
  };
  const ops = callerOf([...queueOperations(database), ...planOperations(deps), ...scheduleOperations(deps)]);
  if (options.isIdle !== true) await engine.start();
  return {
    ops,
    deps,
    engine,
    faults,
    ended: (runId) => {
      const state = states.get(runId);
      return state === undefined
        ? new Promise((resolve) => waiting.set(runId, resolve))
        : Promise.resolve(state);
    },
    stop: async () => {
      await engine.stop();
      for (const runId of unverified.splice(0)) expect(await ledgerProblems(database, runId)).toEqual([]);
    },
  };
}

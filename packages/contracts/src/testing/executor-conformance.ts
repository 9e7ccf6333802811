import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { AttemptSpec } from '../attempt.ts';
import type { BlobStore } from '../blobs.ts';
import type { InboxMessage } from '../channel.ts';
import type { AttemptEnd, AttemptIntent, Execution, Executor, ExecutorHost } from '../executor.ts';
import { newId } from '../ids.ts';
import { codeOf } from './code-of.ts';
import type { TestTools } from './test-tools.ts';

/** How the suite gets at the executor it tests, and makes it do what it observes. */
export interface ExecutorConformanceOptions {
  readonly name: string;
  /** A blob store below `directory`; the same again is the same store. */
  readonly blobs: (directory: string) => BlobStore | Promise<BlobStore>;
  /** A new process's executor: what an earlier one left in `host.directory` is all it knows of it. */
  readonly make: (host: ExecutorHost) => Executor | Promise<Executor>;
  /** What an attempt is to do, written in its specification. */
  readonly behaviours: {
    /** Ends well and leaves an output `made.txt` with the text `made`. */
    readonly works: Change;
    /** Fails with a status of its own. */
    readonly fails: Change;
    /** Never ends by itself. */
    readonly hangs: Change;
  };
  /** True when an attempt outlives the process that fired it: then it is found again alive, else it is lost with it. */
  readonly outlives: boolean;
  /**
   * Resolves when an attempt that was started has made the sign by which it is found again: until then an executor may
   * give it up. Default: at once.
   */
  readonly underWay?: (host: ExecutorHost, attemptId: string) => Promise<void>;
}

type Change = Partial<Pick<AttemptSpec, 'agent' | 'prompt' | 'input' | 'channel'>>;

/**
 * Every promise of the seam `Executor` (DI-190, DI-177), as tests against a real one. A crash is an executor that is
 * thrown away with its executions detached, and a new one that is asked to recover:
 *
 *     executorConformance({ name: 'mine', blobs, make, behaviours, outlives: true }, { describe, it, expect });
 */
export function executorConformance(
  options: ExecutorConformanceOptions,
  { describe, it, expect }: TestTools,
): void {
  const { works, fails, hangs } = options.behaviours;
  const bench = async (test: (bench: Bench) => Promise<void>): Promise<void> => {
    const root = mkdtempSync(join(tmpdir(), 'palisade-executor-'));
    const open = new Set<string>();
    const blobs = await options.blobs(join(root, 'blobs'));
    const host: ExecutorHost = {
      blobs,
      directory: join(root, 'executors'),
      isOpen: async (id) => open.has(id),
      onFault: () => {},
    };
    mkdirSync(host.directory);
    const started: Execution[] = [];
    try {
      await test({
        blobs,
        make: async () => options.make(host),
        intent: (change, more = {}) => {
          const intent = intentOf(change, more);
          open.add(intent.runId);
          return intent;
        },
        record: (id) => open.delete(id),
        underWay: async (id) => options.underWay?.(host, id),
        watch: (execution) => {
          started.push(execution);
          return execution;
        },
      });
    } finally {
      for (const execution of started) execution.cancel('the test is over');
      await Promise.all(started.map((execution) => Promise.race([execution.ended, delay(ENDING_MS)])));
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    }
  };

  describe(`DI-158: executor conformance: ${options.name}`, () => {
    it('DI-190: an attempt ends well, and what its product refers to is in the store', () =>
      bench(async ({ make, intent, blobs, watch }) => {
        const execution = watch((await make()).fire(intent(works)));
        const end = await execution.ended;
        expect([end.outcome, end.code]).toEqual(['succeeded', undefined]);
        const made = end.product.outputs?.find((output) => output.path === 'made.txt');
        expect(made === undefined ? null : (await blobs.get(made.ref)).toString()).toBe('made');
        expect(typeof (await execution.started) === 'string' || (await execution.started) === null).toBe(
          true,
        );
      }));

    it('DI-077: a failing agent ends with its status, and what could not start is an end, never a rejection', () =>
      bench(async ({ make, intent, watch }) => {
        const executor = await make();
        const failed = await watch(executor.fire(intent(fails))).ended;
        expect(failed.outcome).toBe('failed');
        expect((failed.exitCode ?? 0) > 0).toBe(true);
        const broken = intent(works, { spec: () => Promise.reject(new Error('canary-in-an-error')) });
        const end = await watch(executor.fire(broken)).ended;
        expect(end.outcome).toBe('failed');
        expect(`${end.reason} ${end.code}`.includes('canary')).toBe(false);
      }));

    it('DI-122: a cancel ends it, however often it is asked for', () =>
      bench(async ({ make, intent, watch }) => {
        const execution = watch((await make()).fire(intent(hangs)));
        await execution.started;
        execution.cancel('test');
        execution.cancel('again');
        const end = await soon(execution.ended);
        expect([end?.outcome, end?.retryable]).toEqual(['canceled', false]);
      }));

    it('DI-121: messages handed on to it are no fault of it, and none is told to have come that was not handed on, or after its end', () =>
      bench(async ({ make, intent, watch }) => {
        const told: number[] = [];
        const onDelivered = (through: number): void => void told.push(through);
        const attempt = intent({ ...hangs, channel: { messages: [] } }, { onDelivered });
        const execution = watch((await make()).fire(attempt));
        execution.deliver?.([messageOf(1)]);
        await execution.started;
        // A new owner hands all on again.
        execution.deliver?.([messageOf(1), messageOf(2)]);
        execution.cancel('test');
        expect((await soon(execution.ended))?.outcome).toBe('canceled');
        const before = [...told];
        execution.deliver?.([messageOf(3)]);
        await delay(200);
        expect(told).toEqual(before);
        expect(told).toEqual([1, 2].filter((seq) => told.includes(seq)));
      }));

    it('DI-174: nothing of it outlives its deadline', () =>
      bench(async ({ make, intent, watch }) => {
        const execution = watch((await make()).fire(intent(hangs, { deadlineAt: Date.now() + 1_500 })));
        expect((await soon(execution.ended))?.outcome).toBe('timed_out');
      }));

    it('DI-177: an attempt that was intended and never fired is lost, and can never start any more', () =>
      bench(async ({ make, intent, watch }) => {
        const late = intent(works);
        const { how, execution } = await (await make()).recover(late);
        expect(how).toBe('lost');
        const end = await watch(execution).ended;
        expect([end.outcome, end.retryable]).toEqual(['lost', true]);
        expect((await watch((await make()).fire(late)).ended).outcome === 'succeeded').toBe(false);
      }));

    it('FF-046: an end that was not recorded is adopted by the next process, with the same product', () =>
      bench(async ({ make, intent, watch }) => {
        const attempt = intent(works);
        const before = await watch((await make()).fire(attempt)).ended;
        const { how, execution } = await (await make()).recover(attempt);
        expect(how).toBe('adopted');
        const after = await watch(execution).ended;
        expect([after.outcome, after.product.outputs]).toEqual([before.outcome, before.product.outputs]);
      }));

    it(`DI-177: an attempt under way is ${options.outlives ? 'found again alive' : 'lost'} when its owner is gone`, () =>
      bench(async ({ make, intent, watch, underWay }) => {
        const attempt = intent(hangs);
        const first = watch((await make()).fire(attempt));
        await first.started;
        await underWay(attempt.runId);
        first.detach();
        const { how, execution } = await (await make()).recover(attempt);
        watch(execution);
        expect(how).toBe(options.outlives ? 'reattached' : 'lost');
        execution.cancel('test');
        expect((await soon(execution.ended))?.outcome).toBe(options.outlives ? 'canceled' : 'lost');
      }));

    it('FF-031: what an attempt left goes once its end is recorded, and not before', () =>
      bench(async ({ make, intent, record, watch }) => {
        const executor = await make();
        const attempt = intent(works);
        const execution = watch(executor.fire(attempt));
        await execution.ended;
        expect(await codeOf((await make()).discard(attempt.runId))).toBe('invalid_state');
        record(attempt.runId);
        await execution.release();
        await execution.release();
        await (await make()).discard(attempt.runId);
        await executor.discard(newId('run'));
      }));
  });
}

interface Bench {
  readonly blobs: BlobStore;
  readonly make: () => Promise<Executor>;
  /** An attempt whose intent is committed. */
  readonly intent: (change: Change, more?: Partial<AttemptIntent>) => AttemptIntent;
  readonly underWay: (attemptId: string) => Promise<void>;
  /** Its end is committed now. */
  readonly record: (attemptId: string) => void;
  /** Ends it with the test. */
  readonly watch: (execution: Execution) => Execution;
}

/** Longer than any ending may take on a busy machine, the grace for a polite one included. */
const ENDING_MS = 40_000;

async function soon(ended: Promise<AttemptEnd>): Promise<AttemptEnd | null> {
  return Promise.race([ended, delay(ENDING_MS, null, { ref: false })]);
}

function intentOf(change: Change, more: Partial<AttemptIntent>): AttemptIntent {
  const runId = newId('run');
  const deadlineAt = more.deadlineAt ?? Date.now() + 60_000;
  const spec: AttemptSpec = {
    schema_version: 1,
    attempt_id: runId,
    run_id: runId,
    root_run_id: newId('run'),
    item_id: 'item',
    attempt: 1,
    deadline_at: deadlineAt,
    workspace: { kind: 'empty' },
    base_patches: [],
    agent: {
      schema_version: 1,
      name: 'agent',
      system_prompt: null,
      prompt_template: null,
      model: null,
      run: { harness: 'scripted', steps: [] },
      capabilities: [],
    },
    prompt: null,
    model: null,
    capabilities: [],
    inputs: [],
    env_values: {},
    secret_names: [],
    env_allow: [],
    pipeline: [{ kind: 'agent' }, { kind: 'capture', what: 'outputs' }],
    sandbox: {
      provider: 'process',
      isolation: 'unsandboxed-host',
      network: false,
      memory_bytes: 1 << 30,
      processes: 64,
      file_bytes: 1 << 30,
      output_bytes: 1 << 20,
    },
    setup_timeout_ms: 10_000,
    kill_grace_ms: 500,
    ...change,
  };
  return {
    runId,
    rootRunId: spec.root_run_id,
    itemId: spec.item_id,
    attempt: spec.attempt,
    neededOutputs: [],
    spec: async () => ({ spec, secrets: {} }),
    ...more,
    deadlineAt,
  };
}

const messageOf = (seq: number): InboxMessage => ({
  id: `msg_${String(seq).padStart(32, '0')}`,
  seq,
  body: `message ${seq}`,
  sent_at: seq,
});

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type AttemptEnd,
  type AttemptIntent,
  boundProduct,
  type Execution,
  type Executor,
  type ExecutorFactory,
  type ExecutorHost,
  foreignFault,
  type OutputRef,
  PalisadeError,
  type PreparedAttempt,
  toPalisadeError,
} from '@palisade/contracts';
import { AttemptFate } from './fate.ts';

/** What a function is given to work with. */
export interface FunctionContext {
  /** The item's `inputs.workerInput`. */
  readonly input: unknown;
  readonly prompt: string | null;
  /** Values and secrets of the item's environments. */
  readonly env: Readonly<Record<string, string>>;
  /** Paths of what other items left, by key. Patches with `apply` are not applied: there is no workspace here. */
  readonly inputs: Readonly<Record<string, string>>;
  /** Aborts when the item is canceled or its time is up. */
  readonly signal: AbortSignal;
  /** Leaves an output; the item's product once the function returns. */
  readonly output: (path: string, content: string | Uint8Array) => void;
}

/** An agent: whatever it returns as text is its summary. */
export type AgentFunction = (context: FunctionContext) => Promise<string | void>;

/** What holds around a function: nothing. */
const POSTURE = ['unsandboxed-host'];

/** How long a function that was told to stop is waited for. It cannot be killed: what it does later counts for nothing. */
const GRACE_MS = 1_000;

/**
 * Runs items whose `run` is `{"harness": "command", "command": [NAME]}` by calling the function of that name. Functions run
 * with the rights of this process: items that were promised a sandbox are refused, so submit them with the sandbox `process`.
 * A function dies with its process; the next owner of the run tries again.
 */
export function functionExecutor(
  name: string,
  functions: Readonly<Record<string, AgentFunction>>,
): ExecutorFactory {
  return (host) => {
    const root = join(host.directory, name);
    const discard = async (attemptId: string): Promise<void> => {
      const fate = new AttemptFate(root, attemptId);
      if ((await fate.read())?.end != null && (await host.isOpen(attemptId)))
        throw new PalisadeError('invalid_state', `the product of attempt ${attemptId} is not recorded yet`);
      await fate.remove();
    };
    const executor: Executor = {
      name,
      fire: (intent) => new FunctionExecution(host, root, functions, intent, discard),
      recover: async (intent) => {
        const fate = await new AttemptFate(root, intent.runId).decide({ end: null });
        const how = fate.end === null ? 'lost' : 'adopted';
        return { how, execution: settled(fate.end ?? LOST, () => discard(intent.runId)) };
      },
      discard,
    };
    return executor;
  };
}

const LOST: AttemptEnd = {
  outcome: 'lost',
  code: 'worker_lost',
  reason: 'the process of the function is gone',
  retryable: true,
  product: {},
  posture: POSTURE,
};

/** An attempt whose end is known. */
function settled(end: AttemptEnd, release: () => Promise<void>): Execution {
  return {
    started: Promise.resolve(null),
    ended: Promise.resolve(end),
    cancel: () => {},
    detach: () => {},
    release,
  };
}

class FunctionExecution implements Execution {
  readonly started: Promise<string | null>;
  readonly ended: Promise<AttemptEnd>;
  readonly release: () => Promise<void>;
  readonly #stop = new AbortController();
  readonly #host: ExecutorHost;
  readonly #intent: AttemptIntent;
  readonly #functions: Readonly<Record<string, AgentFunction>>;
  readonly #outputs = new Map<string, Uint8Array>();
  readonly #start = Promise.withResolvers<string | null>();

  constructor(
    host: ExecutorHost,
    root: string,
    functions: Readonly<Record<string, AgentFunction>>,
    intent: AttemptIntent,
    discard: (attemptId: string) => Promise<void>,
  ) {
    this.#host = host;
    this.#functions = functions;
    this.#intent = intent;
    this.release = () => discard(intent.runId);
    this.started = this.#start.promise;
    this.ended = this.#carryOut(new AttemptFate(root, intent.runId)).catch((error: unknown) => {
      host.onFault(error, intent.runId);
      return failed(error);
    });
    void this.ended.then(() => this.#start.resolve(null));
  }

  cancel(): void {
    this.#stop.abort('canceled');
  }

  detach(): void {
    this.#stop.abort('detached');
  }

  async #carryOut(fate: AttemptFate): Promise<AttemptEnd> {
    if ((await fate.read()) !== null) return LOST;
    const end = await this.#work().catch(failed);
    // A run with another owner: it decides, and finds that nobody is at work.
    if (this.#stop.signal.reason === 'detached') return LOST;
    return (await fate.decide({ end })).end ?? LOST;
  }

  async #work(): Promise<AttemptEnd> {
    const { spec, secrets } = await this.#intent.spec();
    if (spec.sandbox.isolation === 'sandboxed')
      throw new PalisadeError('requirements_unmet', 'a function runs in no sandbox, and one was promised');
    const { run } = spec.agent;
    const [name] = run.harness === 'command' && typeof run.command !== 'string' ? run.command : [];
    const work = name === undefined ? undefined : this.#functions[name];
    if (work === undefined) throw new PalisadeError('start_failed', 'there is no function of that name');
    // A name that no other process and no later attempt has.
    this.#start.resolve(`function-${process.pid}-${crypto.randomUUID()}`);
    return this.#call(work, { spec, secrets });
  }

  async #call(work: AgentFunction, { spec, secrets }: PreparedAttempt): Promise<AttemptEnd> {
    const left = this.#intent.deadlineAt - Date.now();
    const timer = setTimeout(() => this.#stop.abort('timed_out'), Math.max(0, left));
    const { signal } = this.#stop;
    const stopped = new Promise<void>((resolve) =>
      signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true }),
    );
    const working = Promise.resolve()
      .then(() => {
        signal.throwIfAborted();
        return work({
          input: spec.input,
          prompt: spec.prompt,
          env: { ...spec.env_values, ...secrets },
          inputs: Object.fromEntries(spec.inputs.map(({ key, path }) => [key, path])),
          signal,
          output: (path, content) => void this.#outputs.set(path, Buffer.from(content as string)),
        });
      })
      .then(
        (said) => ({ said: said ?? null, fault: null }),
        // Its text may quote anything: only what kind of error it was is told.
        (error: unknown) => ({ said: null, fault: foreignFault(error) }),
      );
    const done = await Promise.race([working, stopped.then(() => delay(GRACE_MS, null))]);
    clearTimeout(timer);
    if (signal.aborted) {
      const outcome = signal.reason === 'timed_out' ? 'timed_out' : 'canceled';
      return { outcome, code: outcome, retryable: false, product: {}, posture: POSTURE };
    }
    if (done === null || done.fault !== null)
      return {
        outcome: 'failed',
        exitCode: 1,
        reason: done?.fault ?? 'it was stopped',
        retryable: true,
        product: {},
        posture: POSTURE,
      };
    const outputs = await this.#store();
    const whole = { outputs, ...(done.said === null ? {} : { summary: done.said }) };
    const { product, listing } = boundProduct(whole, new Set(this.#intent.neededOutputs));
    if (listing !== null) await this.#host.blobs.put(listing.bytes, listing.ref);
    return { outcome: 'succeeded', exitCode: 0, retryable: false, product, posture: POSTURE };
  }

  /** Everything it left is in the store before its end is told. */
  async #store(): Promise<OutputRef[]> {
    const refs: OutputRef[] = [];
    for (const [path, bytes] of this.#outputs) {
      const { hash, size } = await this.#host.blobs.put(bytes);
      refs.push({ path, ref: hash, size });
    }
    return refs;
  }
}

function failed(error: unknown): AttemptEnd {
  const { code, message, facts } = toPalisadeError(error, 'provider_failed');
  return {
    outcome: 'failed',
    code,
    reason: message,
    retryable: facts.retryable,
    product: {},
    posture: POSTURE,
  };
}

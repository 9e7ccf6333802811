import {
  type InputIssue,
  isPalisadeError,
  listRuns,
  type Plan,
  PalisadeError,
  type RunState,
  type RunView,
  submitPlan,
  validatePlan,
} from '@palisade/contracts';
import type { Calls } from './calls.ts';
import type { ItemResult } from './item-result.ts';
import type { OpenOptions } from './open-options.ts';
import { Run } from './run.ts';
import type { RunDescription } from './run-description.ts';
import { planOf, type Work, type WorkBase, WORK_ITEM } from './work.ts';
import { withSecrets } from './work-secrets.ts';

export interface DispatchOptions {
  /** Cancels the work: the promise resolves with what became of it once nothing of it runs any more. */
  readonly signal?: AbortSignal;
}

/** Runs one unit of work and waits for it (DI-071); its members do the parts of that. */
export interface Dispatch {
  /**
   * Never rejects because the work failed, ran out of time or was canceled: that is its result. Raises `invalid_plan`,
   * `requirements_unmet`, `already_exists` and the like when it was not accepted.
   */
  (work: Work, options?: DispatchOptions): Promise<ItemResult & { readonly run: Run }>;
  /** Starts it and returns: the run's id is all that another process needs to take it up. */
  fire(work: Work): Promise<Run>;
  /** How the run of that id stands; `not_found` for one that never was or is not kept any more. */
  describe(id: string): Promise<RunDescription>;
  /** Asks for its end; false when it had ended. */
  cancel(id: string, reason?: string): Promise<boolean>;
}

/** Plans: graphs of units of work (docs/plan-reference.md). */
export interface Plans {
  /** Starts a run of the plan. The same plan with the same `id` is the same run. */
  submit(plan: Plan, base?: WorkBase): Promise<Run>;
  /** Every problem of it at once, without starting anything; empty when there is none. */
  validate(plan: unknown): Promise<readonly InputIssue[]>;
}

export interface Runs {
  /** Takes up a run by its id, a unique beginning of it, or `-` for the newest. Raises `not_found`, `ambiguous_id`. */
  get(id: string): Promise<Run>;
  /** Newest first. */
  list(options?: {
    readonly state?: readonly RunState[];
    readonly limit?: number;
    readonly cursor?: string;
  }): Promise<{ readonly data: readonly RunView[]; readonly next_cursor?: string | undefined }>;
}

/** The operator's defaults for what is submitted. */
type Defaults = Pick<OpenOptions, 'sandbox' | 'requireIsolation' | 'allowNetwork' | 'defaultModel'>;

export function plansOf(calls: Calls, defaults: Defaults): Plans {
  return {
    async submit(plan, base = {}) {
      const sandbox = base.sandbox_provider ?? defaults.sandbox;
      const { run_id } = await calls.call(submitPlan, {
        plan,
        ...(base.repository === undefined ? {} : { repository: base.repository }),
        ...(base.base === undefined ? {} : { base: base.base }),
        ...(sandbox === undefined ? {} : { sandbox }),
        ...(defaults.requireIsolation === true ? { require_isolation: true } : {}),
        ...(defaults.allowNetwork === true ? { allow_network: true } : {}),
        ...(defaults.defaultModel ? { default_model: defaults.defaultModel } : {}),
      });
      await calls.keepEngine();
      return new Run(calls, run_id);
    },
    validate: async (plan) => (await calls.call(validatePlan, { plan })).issues,
  };
}

export function dispatchOf(calls: Calls, plans: Plans): Dispatch {
  const fire: Dispatch['fire'] = async (work) => {
    // Before a secret of it is stored.
    planOf(work);
    return withSecrets(calls, work, ({ repository, base, sandbox_provider, ...item }) =>
      plans.submit(planOf(item), {
        ...(repository === undefined ? {} : { repository }),
        ...(base === undefined ? {} : { base }),
        ...(sandbox_provider === undefined ? {} : { sandbox_provider }),
      }),
    );
  };
  const dispatch = async (
    work: Work,
    { signal }: DispatchOptions = {},
  ): Promise<ItemResult & { readonly run: Run }> => {
    if (isAborted(signal))
      throw new PalisadeError('canceled', 'the work was canceled before it was submitted', {
        cause: signal?.reason,
      });
    const run = await fire(work);
    const cancel = (): void => void insistOnEnd(calls, run).catch(() => {});
    signal?.addEventListener('abort', cancel, { once: true });
    if (isAborted(signal)) cancel();
    try {
      return Object.assign((await run.result()).item(WORK_ITEM), { run });
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  };
  return Object.assign(dispatch, {
    fire,
    describe: (id: string) => new Run(calls, id).describe(),
    cancel: (id: string, reason?: string) => new Run(calls, id).cancel(reason),
  });
}

export function runsOf(calls: Calls): Runs {
  return {
    async get(id) {
      const { run } = await new Run(calls, id).describe();
      return new Run(calls, run.id);
    },
    async list({ state, limit, cursor } = {}) {
      return calls.call(listRuns, {
        ...(state === undefined ? {} : { state: [...state] }),
        ...(limit === undefined ? {} : { limit }),
        ...(cursor === undefined ? {} : { cursor }),
      });
    },
  };
}

/** Asks until it is accepted: nobody else would, and whoever aborted waits for the end. */
async function insistOnEnd(calls: Calls, run: Run): Promise<void> {
  while (!calls.closed.aborted) {
    try {
      await run.cancel('canceled by its caller');
      return;
    } catch (error) {
      if (!isPalisadeError(error) || !error.facts.retryable) throw error;
    }
  }
}

/** Asked anew each time: it changes while others work. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

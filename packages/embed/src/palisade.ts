import { forgetSink, getTrustRoot, type OperationCaller, TrustRoot } from '@palisade/contracts';
import type { Calls } from './calls.ts';
import { type Dispatch, dispatchOf, type Plans, plansOf, type Runs, runsOf } from './dispatch.ts';
import type { OpenOptions } from './open-options.ts';
import { type Registries, registriesOf } from './registries.ts';

/** An open installation. `await using` closes it. */
export interface Palisade extends Registries, OperationCaller, AsyncDisposable {
  /** The project's directory. */
  readonly directory: string;
  readonly dispatch: Dispatch;
  readonly plans: Plans;
  readonly runs: Runs;
  /** This installation's public keys, for whoever is to check its evidence. */
  trustRoot(): Promise<TrustRoot>;
  /** Keeps results no longer for a sink that no program opens again; false when there was none of that name. */
  forgetSink(name: string): Promise<boolean>;
  /**
   * Gives the runs of this process's engine up without stopping them: an engine that opens the control plane next, in
   * whatever process, goes on with them; their programs run meanwhile. Waits in progress reject with `invalid_state`. Idempotent.
   */
  close(): Promise<void>;
}

/** The library's face over the operations of an installation; what else ends is told, before calls are refused and after. */
export function palisadeOf(
  calls: Calls,
  options: OpenOptions,
  {
    before,
    after,
  }: { readonly before: (() => Promise<void>) | undefined; readonly after: () => Promise<void> },
): Palisade {
  const plans = plansOf(calls, options);
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= (before === undefined ? calls.close() : before().then(() => calls.close())).then(after);
    return closing;
  };
  return {
    directory: options.directory,
    ...registriesOf(calls),
    dispatch: dispatchOf(calls, plans),
    plans,
    runs: runsOf(calls),
    trustRoot: async () => TrustRoot.parse((await calls.call(getTrustRoot, {})).trust_root),
    forgetSink: async (name) => (await calls.call(forgetSink, { name })).removed,
    call: (operation, input, context) => calls.call(operation, input, context),
    close,
    [Symbol.asyncDispose]: close,
  };
}

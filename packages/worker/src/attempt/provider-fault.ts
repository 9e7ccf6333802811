import { foreignFault, isPalisadeError, PalisadeError, type Sandbox } from '@palisade/contracts';

/**
 * Does something through a sandbox provider or a harness. What breaks in there is the provider's fault
 * and no verdict on the agent: it becomes `provider_failed`, unless the provider says itself what it
 * is (DI-077, DI-150). A foreign text is never quoted (FF-129).
 *
 * @param what names the provider in the message
 */
export async function byProvider<T>(what: string, body: () => Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (cause) {
    if (isPalisadeError(cause)) throw cause;
    throw new PalisadeError('provider_failed', `${what} failed: ${foreignFault(cause)}`, { cause });
  }
}

/** A sandbox whose faults are its provider's, see {@link byProvider}. */
export function guarded(what: string, sandbox: Sandbox): Sandbox {
  return {
    posture: sandbox.posture,
    workspacePath: sandbox.workspacePath,
    uid: sandbox.uid,
    ...(sandbox.image === undefined ? {} : { image: sandbox.image }),
    explain: (text) => sandbox.explain?.(text) ?? null,
    exec: (spec) => byProvider(what, () => sandbox.exec(spec)),
    destroy: () => byProvider(what, () => sandbox.destroy()),
  };
}

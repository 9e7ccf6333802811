import type { CallContext, Operation, PalisadeError } from '@palisade/contracts';
import type * as z from 'zod';
import type { ControlPlane } from './control-plane.ts';

/** How long a call of a control plane of our own is made again, ms: what is busy is so for moments. */
const PATIENCE_MS = 2_000;

/** Says once, whatever is called, that something is busy or away. */
export function busyTeller(say: (line: string) => void): (error: PalisadeError) => void {
  let isTold = false;
  return ({ code, message }) => {
    if (!isTold) say(`${code === 'upstream_failed' ? message : `busy (${code})`}, trying again`);
    isTold = true;
  };
}

/**
 * Calls an operation, again while its failure is temporary (exit 7), unless the control plane does so itself: nobody waits for the product
 * of two patiences. A change is safe to make again because it carries its idempotency key.
 */
export async function patientCall<Op extends Operation>(
  plane: ControlPlane,
  operation: Op,
  input: z.input<Op['input']>,
  context: Partial<CallContext>,
  signal: AbortSignal,
  onRetry: (error: PalisadeError) => void,
): Promise<z.output<Op['output']>> {
  if (plane.repeatsCalls === true) return plane.call(operation, input, context);
  // Loaded only now: a command that calls nothing starts without the contracts.
  const { retryTemporary } = await import('@palisade/contracts');
  return retryTemporary(() => plane.call(operation, input, context), {
    patienceMs: PATIENCE_MS,
    signal,
    isTemporary: ({ facts }) => facts.retryable && facts.exit === 7,
    onRetry,
  });
}

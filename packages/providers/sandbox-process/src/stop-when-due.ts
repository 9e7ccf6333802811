import { LONGEST_TIMER_MS } from '@palisade/contracts';
import type { ExecSpec } from '@palisade/contracts';

/** Watches one running program until it is disposed of. */
export interface Stopping {
  /** `exit` as long as nobody stopped it. */
  readonly cause: 'exit' | 'timeout' | 'cancel';
  dispose(): void;
}

/**
 * Stops a program when its time is up or it is cancelled, whichever comes first: politely, and after
 * its grace by force.
 */
export function stopWhenDue(spec: ExecSpec, polite: () => void, force: () => void): Stopping {
  let cause: Stopping['cause'] = 'exit';
  let grace: NodeJS.Timeout | undefined;
  const stop = (why: 'timeout' | 'cancel'): void => {
    if (cause !== 'exit') return;
    cause = why;
    polite();
    grace = setTimeout(force, Math.min(spec.graceMs, LONGEST_TIMER_MS));
  };
  const cancel = (): void => stop('cancel');
  const timer = setTimeout(() => stop('timeout'), Math.min(spec.timeoutMs, LONGEST_TIMER_MS));
  spec.signal?.addEventListener('abort', cancel, { once: true });
  if (spec.signal?.aborted === true) cancel();
  return {
    get cause() {
      return cause;
    },
    dispose() {
      clearTimeout(timer);
      clearTimeout(grace);
      spec.signal?.removeEventListener('abort', cancel);
    },
  };
}

/** Thrown when the user interrupts something that has no more to say. Exit code 130. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** Two signals within this are one that came on two ways, ms. */
const FORWARDED_MS = 250;

/**
 * Aborts on Ctrl-C and on SIGTERM. A second Ctrl-C within the same process ends it at once, so that a
 * command which does not react can still be left.
 */
export function watchInterrupts(now: () => number = () => performance.now()): {
  readonly signal: AbortSignal;
  stop(): void;
  raise(): void;
} {
  const controller = new AbortController();
  // Started by the launcher, a process gets Ctrl-C of a terminal twice: from the terminal, and from the launcher.
  const togetherMs = process.env['PALISADE_REEXECUTED'] === '1' ? FORWARDED_MS : 0;
  // No launcher has started what is started from here.
  delete process.env['PALISADE_REEXECUTED'];
  let since = 0;
  const raise = (): void => {
    if (!controller.signal.aborted) {
      since = now();
      controller.abort(new Interrupted('interrupted'));
    } else if (now() - since >= togetherMs) process.exit(130);
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, raise);
  return {
    signal: controller.signal,
    raise,
    stop: () => {
      for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.removeListener(name, raise);
    },
  };
}

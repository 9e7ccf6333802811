/** Thrown when the user interrupts something that has no more to say. Exit code 130. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/**
 * Aborts on Ctrl-C and on SIGTERM. A second Ctrl-C within the same process ends it at once, so that a
 * command which does not react can still be left.
 */
export function watchInterrupts(): { readonly signal: AbortSignal; stop(): void; raise(): void } {
  const controller = new AbortController();
  const raise = (): void => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort(new Interrupted('interrupted'));
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

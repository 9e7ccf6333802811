import { PalisadeError } from '@palisade/contracts';

/** How long a body may wait for anything but its own statements before it is given up. */
export const BODY_GRACE_MS = 5_000;

/**
 * Runs a body that may only do database work. One that is still pending after the grace waits for
 * something else (network, process, sleep) while it holds the writer lock or a snapshot: it is
 * refused, and its session is dead from then on. The verdict waits two turns of the event loop, so
 * that a process that was stopped for a while does not condemn a body that was about to finish.
 * `atWork` tells whether a statement is on its way to a server: such a body is given another period.
 */
export function runPromptly<T>(
  body: () => Promise<T>,
  options: { readonly graceMs?: number; readonly atWork?: () => boolean } = {},
): Promise<T> {
  const graceMs = options.graceMs ?? BODY_GRACE_MS;
  return new Promise((resolve, reject) => {
    const judge = (): void => {
      if (options.atWork?.() === true) timer = setTimeout(later, graceMs);
      else
        reject(
          new PalisadeError('internal', `a database body did not finish within ${graceMs} ms`, {
            why: 'it waited for something that is not a statement of its transaction',
          }),
        );
    };
    const later = (): void => void setImmediate(() => setImmediate(() => !settled && judge()));
    let settled = false;
    let timer = setTimeout(later, graceMs);
    const settle = <A>(then: (outcome: A) => void) => {
      return (outcome: A): void => {
        settled = true;
        clearTimeout(timer);
        then(outcome);
      };
    };
    body().then(settle(resolve), settle(reject));
  });
}

/** The value, or a rejection with the signal's reason when it aborts first. The abandoned work is left to end by itself. */
export async function orAborted<T>(value: Promise<T>, stop: AbortSignal): Promise<T> {
  let listener: (() => void) | undefined;
  // Nobody may be left to see it fail.
  value.catch(() => {});
  try {
    stop.throwIfAborted();
    return await Promise.race([
      value,
      new Promise<never>((_resolve, reject) => {
        listener = () => reject(stop.reason as Error);
        stop.addEventListener('abort', listener, { once: true });
      }),
    ]);
  } finally {
    if (listener !== undefined) stop.removeEventListener('abort', listener);
  }
}

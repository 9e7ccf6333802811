/** What a stream of server-sent events depends on while it is open. */
export interface StreamLife {
  /** Asked now and then: whether its caller may still see it. */
  readonly mayGoOn: () => Promise<boolean>;
  /** Ends what feeds the stream. */
  readonly stop: () => void;
  /** Aborted when the stream ends before its source has: the server closes, or its client left. */
  readonly cut: AbortSignal;
}

/** A sign of life for proxies and clients, and the moment at which the caller's right is asked about again (EX-063). */
const HEARTBEAT_MS = 15_000;
/** A client that takes nothing for this long is cut off. */
const STALLED_MS = 30_000;
/** How long a client waits before it comes back, ms. */
const RETRY_MS = 1_000;

interface Frame {
  readonly id: string;
  readonly type: string;
}

/**
 * Frames as `text/event-stream`: taken from their source one by one, as fast as the client reads. The last one is an `end` event; a
 * connection that ends without it is to be opened again with the last id.
 */
export function eventStreamReply(
  source: AsyncIterable<Frame>,
  { mayGoOn, stop, cut }: StreamLife,
  heartbeatMs: number = HEARTBEAT_MS,
  stalledMs: number = STALLED_MS,
): Response {
  const frames = source[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<Frame>> | undefined;
  let stalled: NodeJS.Timeout | undefined;
  let askedAt = performance.now();
  // A source that waits at a frame nobody takes any more ends only when it is told so.
  const leave = (): void => {
    clearTimeout(stalled);
    stop();
    void frames.return?.().catch(() => {});
  };
  const cutOffWhenStalled = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    stalled = setTimeout(() => {
      leave();
      controller.error(new Error('the client takes nothing'));
    }, stalledMs);
    stalled.unref();
  };
  const end = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    leave();
    controller.close();
  };
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(`retry: ${RETRY_MS}\n\n`));
      cutOffWhenStalled(controller);
    },
    async pull(controller) {
      clearTimeout(stalled);
      try {
        if (performance.now() - askedAt >= heartbeatMs) {
          askedAt = performance.now();
          if (!(await mayGoOn())) return end(controller);
        }
        next ??= frames.next();
        const told = await within(next, heartbeatMs);
        if (told === null) controller.enqueue(encoder.encode(': \n\n'));
        else if (told.done === true) {
          // The end says that there is nothing more, which a source that was cut off does not know.
          if (!cut.aborted) controller.enqueue(encoder.encode('event: end\ndata: {}\n\n'));
          return end(controller);
        } else {
          next = undefined;
          controller.enqueue(encoder.encode(textOf(told.value)));
        }
        cutOffWhenStalled(controller);
      } catch {
        // Whatever feeds it failed: the client comes back with its last id.
        end(controller);
      }
    },
    cancel: () => leave(),
  });
  return new Response(body, {
    headers: { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' },
  });
}

/** JSON holds no line break: a frame is three lines whatever stands in it. */
function textOf(frame: Frame): string {
  return `id: ${frame.id}\nevent: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`;
}

async function within<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
    timer.unref();
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

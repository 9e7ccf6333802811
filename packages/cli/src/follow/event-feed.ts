import {
  type EventView,
  listEvents,
  type OperationCaller,
  PalisadeError,
  subscribeEvents,
} from '@palisade/contracts';
import type { Invocation } from '../invocation.ts';

/** Most events that are handed on at once. */
const PAGE = 2_000;
const WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 15_000;

/** What came of a run since the last time. */
export interface Batch {
  /** In their order, each exactly once; none when nothing happened for a while. */
  readonly events: readonly EventView[];
  readonly hasMore: boolean;
  readonly isSealed: boolean;
}

/** Events of one run as they happen. */
export interface EventFeed {
  next(): Promise<Batch>;
  /** Calls beside it, which wait for a server as the feed does. */
  readonly call: OperationCaller['call'];
  /** Why nothing comes; undefined while the connection is there. */
  readonly outage: () => PalisadeError | undefined;
  close(): void;
}

/**
 * Follows the events of a run behind `after`, over a server by its stream: across its restarts, and for as long as it is away, which `say` is
 * told once, as is its return. What `stop` aborts with, `next` may raise.
 *
 * @param run its id: a short name may come to mean another one meanwhile
 */
export async function openFeed(
  invocation: Invocation,
  run: string,
  {
    after,
    stop,
    say,
  }: { readonly after: number; readonly stop: AbortSignal; readonly say: (line: string) => void },
): Promise<EventFeed> {
  const patient = await patientCaller(invocation, say);
  if (patient === undefined) return polled(invocation.call, run, after);
  const leaving = new AbortController();
  const signal = AbortSignal.any([stop, leaving.signal]);
  const call: EventFeed['call'] = (operation, input, context) =>
    patient.call(operation, input, { signal, ...context });
  const frames = (await call(subscribeEvents, { run: [run], after: String(after) }))[Symbol.asyncIterator]();
  const arriving = new Arriving(frames);
  let waitMs = WAIT_MS;
  // What was taken is told before it is said that nothing more comes: the failure is met again by the next call.
  const more = () => arriving.within(0).catch(() => undefined);
  return {
    call,
    outage: patient.outage,
    close: () => leaving.abort(new Error('no longer followed')),
    async next() {
      const events: EventView[] = [];
      let taken = await arriving.within(waitMs);
      for (; taken?.done === false; taken = events.length < PAGE ? await more() : undefined) {
        const { id: _, run_id: __, ...event } = taken.value;
        events.push(event);
      }
      waitMs = events.length > 0 ? WAIT_MS : Math.min(LONGEST_WAIT_MS, waitMs * 2);
      return { events, hasMore: false, isSealed: taken?.done === true };
    },
  };
}

/** A caller that waits for a server, and why it has to; undefined in process. `say` is told once of each loss and of each return. */
export async function patientCaller(
  invocation: Invocation,
  say: (line: string) => void,
): Promise<(OperationCaller & Pick<EventFeed, 'outage'>) | undefined> {
  const plane = await invocation.controlPlane();
  let lost: PalisadeError | undefined;
  const caller = plane.waiting?.({
    lost(error) {
      if (lost === undefined) say(`connection lost, retrying: ${error.message}`);
      lost = error;
    },
    back() {
      if (lost !== undefined) say('connected again');
      lost = undefined;
    },
  });
  return caller && { call: caller.call.bind(caller), outage: () => lost };
}

/** The failure of whoever gives up waiting for a server, with the command that goes on. */
export function gaveUp(error: PalisadeError, next: string): PalisadeError {
  const { code, message, why } = error;
  return new PalisadeError(code, message, { ...(why === undefined ? {} : { why }), next, cause: error });
}

function polled(call: EventFeed['call'], run: string, from: number): EventFeed {
  let after = from;
  return {
    call,
    outage: () => undefined,
    close: () => {},
    async next() {
      const page = await call(listEvents, { run, after_seq: after, limit: PAGE, wait_ms: WAIT_MS });
      after = page.data.at(-1)?.seq ?? after;
      return { events: page.data, hasMore: page.has_more, isSealed: page.sealed };
    },
  };
}

/** What an iterator gives, as far as it has come. */
class Arriving<T> {
  readonly #from: AsyncIterator<T>;
  #next: Promise<IteratorResult<T>> | undefined;

  constructor(from: AsyncIterator<T>) {
    this.#from = from;
  }

  /** What comes next; undefined when it takes longer, and then it is still to come. */
  async within(ms: number): Promise<IteratorResult<T> | undefined> {
    this.#next ??= this.#from.next();
    const next = this.#next;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      if (ms === 0) setImmediate(resolve, undefined);
      else timer = setTimeout(resolve, ms, undefined);
    });
    try {
      const taken = await Promise.race([next, late]);
      if (taken !== undefined) this.#next = undefined;
      // It may fail when nobody waits for it any more.
      else next.catch(() => {});
      return taken;
    } finally {
      clearTimeout(timer);
    }
  }
}

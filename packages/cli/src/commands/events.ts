import { type EventView, getRun, listEvents } from '@palisade/contracts';
import { type Batch, openFeed } from '../follow/event-feed.ts';
import type { Invocation } from '../invocation.ts';
import { foreignLine } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { wantsPager } from '../output/pager.ts';
import { moment } from '../output/time.ts';
import type { eventsCommand } from '../tree/run-commands.ts';
import type { Handler } from './handler.ts';

const PAGE = 2_000;

/** `pal events [RUN]`: the committed facts of a run, in order, resumable by sequence number. */
export const execute: Handler<typeof eventsCommand> = async (invocation, args, flags) => {
  const { settings, out, interrupted } = invocation;
  const isWhole = wantsPager(invocation) && !flags.follow;
  const isStreaming = !isWhole && ['text', 'ndjson', 'id'].includes(settings.format);
  const kept: EventView[] = [];
  let sealed = false;
  const from = { run: args.run ?? '-', after: flags.after ?? -1 };
  for await (const { events, isSealed } of flags.follow ? live(invocation, from) : stored(invocation, from)) {
    const wanted =
      flags.type.length === 0 ? events : events.filter((event) => flags.type.includes(event.type));
    sealed = isSealed;
    if (isStreaming) print(invocation, wanted, 'part');
    else kept.push(...wanted);
    interrupted.throwIfAborted();
    if (out.closed.aborted) break;
  }
  if (!isStreaming) print(invocation, kept, 'whole', sealed);
  return 0;
};

interface Place {
  readonly run: string;
  /** Only what comes behind it. */
  readonly after: number;
}

async function* stored(invocation: Invocation, { run, after }: Place): AsyncGenerator<Batch> {
  for (let from = after; ; ) {
    const page = await invocation.call(listEvents, { run, after_seq: from, limit: PAGE });
    yield { events: page.data, hasMore: page.has_more, isSealed: page.sealed };
    from = page.data.at(-1)?.seq ?? from;
    if (!page.has_more) return;
  }
}

async function* live(invocation: Invocation, { run: ref, after }: Place): AsyncGenerator<Batch> {
  const { run } = await invocation.call(getRun, { run: ref, items: 'none' });
  const stop = AbortSignal.any([invocation.interrupted, invocation.out.closed]);
  const feed = await openFeed(invocation, run.id, { after, stop, say: (line) => invocation.err.line(line) });
  try {
    for (;;) {
      const batch = await feed.next();
      yield batch;
      if (batch.isSealed && !batch.hasMore) return;
    }
  } catch (error) {
    // Nobody reads any more.
    if (!invocation.out.closed.aborted) throw error;
  } finally {
    feed.close();
  }
}

function print(
  invocation: Invocation,
  events: readonly EventView[],
  extent: 'part' | 'whole',
  sealed = false,
): void {
  const { times } = invocation.settings;
  emit(invocation, {
    json: { data: events, has_more: false, sealed },
    records: events,
    ids: events.map((event) => String(event.seq)),
    isPart: extent === 'part',
    text: () =>
      events.map(
        (event) =>
          `${String(event.seq).padStart(4)}  ${moment(event.at, times)}  ${foreignLine(event.type).padEnd(20)} ${foreignLine(describe(event))}`,
      ),
  });
}

/** The short facts of an event; long ones are in `--json`. What is called `run` beside an attempt is the id of that attempt alone. */
function describe(event: EventView): string {
  return Object.entries(event.data)
    .flatMap(([key, value]) =>
      typeof value === 'object' || (typeof value === 'string' && value.startsWith('sha256:'))
        ? []
        : [`${event.data['attempt'] !== undefined && key === 'run' ? 'attempt_id' : key}=${String(value)}`],
    )
    .join(' ');
}

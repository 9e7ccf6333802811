import { type EventView, listEvents } from '@palisade/contracts';
import { Interrupted } from '../interrupt.ts';
import type { Invocation } from '../invocation.ts';
import { foreignLine } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { wantsPager } from '../output/pager.ts';
import { moment } from '../output/time.ts';
import type { eventsCommand } from '../tree/run-commands.ts';
import type { Handler } from './handler.ts';

const PAGE = 2_000;
const WAIT_MS = 1_000;

/** `pal events [RUN]`: the committed facts of a run, in order, resumable by sequence number. */
export const execute: Handler<typeof eventsCommand> = async (invocation, args, flags) => {
  const { settings, out, interrupted } = invocation;
  const run = args.run ?? '-';
  const isWhole = wantsPager(invocation) && !flags.follow;
  const isStreaming = !isWhole && ['text', 'ndjson', 'id'].includes(settings.format);
  const kept: EventView[] = [];
  let after = flags.after ?? -1;
  let sealed = false;
  for (;;) {
    const page = await invocation.call(listEvents, {
      run,
      after_seq: after,
      limit: PAGE,
      ...(flags.follow ? { wait_ms: WAIT_MS } : {}),
    });
    const wanted =
      flags.type.length === 0 ? page.data : page.data.filter((event) => flags.type.includes(event.type));
    after = page.data.at(-1)?.seq ?? after;
    sealed = page.sealed;
    if (isStreaming) print(invocation, wanted, 'part');
    else kept.push(...wanted);
    if (interrupted.aborted) throw new Interrupted('interrupted');
    if (page.has_more) continue;
    if (!flags.follow || page.sealed || out.closed.aborted) break;
  }
  if (!isStreaming) print(invocation, kept, 'whole', sealed);
  return 0;
};

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

/** The short facts of an event; long ones are in `--json`. */
function describe(event: EventView): string {
  return Object.entries(event.data)
    .flatMap(([key, value]) =>
      typeof value === 'object' || (typeof value === 'string' && value.startsWith('sha256:'))
        ? []
        : [`${key}=${String(value)}`],
    )
    .join(' ');
}

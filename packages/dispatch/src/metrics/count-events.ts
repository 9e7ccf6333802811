import { DURATION_BUCKETS, type EventData, type EventType, type JournalEvent } from '@palisade/contracts';
import type { WriteTx } from '@palisade/kernel';
import { endedAttempts } from '@palisade/runs';
import { Counts, putCounts } from './metric-store.ts';

/** Hex digits of an event's hash that choose a shard: 256 of them. */
const SHARD_DIGITS = 2;
/** The histogram's sum, beside its classes; in milliseconds. */
export const DURATION_SUM = 'sum';

/**
 * Counts committed events in the unit of work that commits them (DI-180): whatever process dies, each is counted
 * once, and what is counted outlives the events. An approval is no work that somebody starts, and does not count.
 * For the database's `onEvents`.
 */
export async function countEvents(tx: WriteTx, events: readonly JournalEvent[]): Promise<void> {
  const counts = new Counts();
  const approvals = new Set(of(events, 'item.approval_requested').map(({ run }) => run));
  for (const { run } of of(events, 'item.fired')) if (!approvals.has(run)) counts.add('dispatch_started');
  const reconciled = new Map(of(events, 'item.reconciled').map((data) => [data.run, data]));
  for (const { id, kind, runMs } of await endedAttempts(tx, [...reconciled.keys()])) {
    const end = reconciled.get(id);
    if (end === undefined || kind === 'approval') continue;
    counts.add('dispatch_completed', end.outcome);
    counts.add('dispatch_duration', bucketOf(runMs));
    counts.add('dispatch_duration', DURATION_SUM, runMs);
    if (end.outcome === 'timed_out') counts.add('deadline_exceeded');
    if (end.status === 'retrying') counts.add('items_retried');
  }
  for (const _ of of(events, 'item.skipped')) counts.add('items_skipped');
  for (const { status } of of(events, 'run.completed')) counts.add('runs_completed', status);
  await putCounts(tx, counts, Number.parseInt(events.at(-1)?.hash.slice(0, SHARD_DIGITS) ?? '0', 16));
}

function of<T extends EventType>(events: readonly JournalEvent[], type: T): EventData<T>[] {
  return events.flatMap((event) => (event.type === type ? [event.data as EventData<T>] : []));
}

/** The class a time belongs to, as its upper bound in seconds. */
function bucketOf(ms: number): string {
  return String(DURATION_BUCKETS.find((bound) => ms <= bound * 1000) ?? '+Inf');
}

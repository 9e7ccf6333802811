import type { QueueRate, QueueView } from '@palisade/contracts';
import type { Invocation } from '../invocation.ts';
import { renderRows } from '../output/row.ts';

/** A queue a line: `full` when nothing more of it can start now. */
export function queueRows(invocation: Invocation, queues: readonly QueueView[]): string[] {
  return renderRows(
    queues.map((queue) => ({
      state:
        queue.paused !== undefined
          ? 'paused'
          : queue.used >= queue.concurrency || queue.rate?.left === 0
            ? 'full'
            : 'ok',
      id: queue.name,
      title: partsOf(queue).join('  '),
    })),
    invocation.settings.style,
  );
}

function partsOf({
  concurrency,
  used,
  wants,
  paused,
  rate,
  open_runs: runs,
  max_priority,
}: QueueView): string[] {
  return [
    `${used} of ${concurrency} in use`,
    wants === undefined ? '' : `${wants} wanted`,
    rate === undefined ? '' : `${rate.left} of ${rateText(rate)} starts left`,
    runs === undefined ? '' : `${runs.count} of ${runs.limit} open runs`,
    max_priority === undefined ? '' : `priority up to ${max_priority}`,
    paused === undefined ? '' : `paused by ${paused.by}`,
  ].filter((part) => part !== '');
}

/** A rate as people write it: `30/m`. */
export function rateText({ starts, window_seconds: window }: QueueRate): string {
  const unit = { 1: 's', 60: 'm', 3_600: 'h', 86_400: 'd' }[window];
  return `${starts}/${unit ?? `${window}s`}`;
}

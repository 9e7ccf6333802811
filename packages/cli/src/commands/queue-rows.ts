import type { QueueView } from '@palisade/contracts';
import type { Invocation } from '../invocation.ts';
import { renderRows } from '../output/row.ts';

/** A queue a line: `full` when nothing more of it can start now. */
export function queueRows(invocation: Invocation, queues: readonly QueueView[]): string[] {
  return renderRows(
    queues.map(({ name, concurrency, used }) => ({
      state: used >= concurrency ? 'full' : 'ok',
      id: name,
      title: `${used} of ${concurrency} in use`,
    })),
    invocation.settings.style,
  );
}

import { getQueue } from '@palisade/contracts';
import { emit } from '../output/format.ts';
import { elapsed } from '../output/time.ts';
import { renderRows } from '../output/row.ts';
import type { queueShowCommand } from '../tree/registry-commands.ts';
import type { Handler } from './handler.ts';
import { queueRows } from './queue-rows.ts';

/** `pal queue show NAME`: the limit, and which runs use it. */
export const execute: Handler<typeof queueShowCommand> = async (invocation, args) => {
  const answer = await invocation.call(getQueue, { name: args.name });
  const rows = answer.runs.map(({ run_id: id, used, wants, priority, since }) => ({
    state: used === 0 ? 'queued' : 'running',
    id,
    title: [
      `${used} in use`,
      wants === undefined ? '' : `${wants} wanted`,
      priority === undefined ? '' : `priority ${priority}`,
      since === undefined ? '' : `without a slot for ${elapsed(Date.now() - since)}`,
    ]
      .filter((part) => part !== '')
      .join('  '),
  }));
  emit(invocation, {
    json: answer,
    records: answer.runs,
    ids: [answer.queue.name],
    text: () => [...queueRows(invocation, [answer.queue]), ...renderRows(rows, invocation.settings.style)],
  });
  return 0;
};

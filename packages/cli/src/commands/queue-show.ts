import { getQueue } from '@palisade/contracts';
import { emit } from '../output/format.ts';
import { renderRows } from '../output/row.ts';
import type { queueShowCommand } from '../tree/registry-commands.ts';
import type { Handler } from './handler.ts';
import { queueRows } from './queue-rows.ts';

/** `pal queue show NAME`: the limit, and which runs use it. */
export const execute: Handler<typeof queueShowCommand> = async (invocation, args) => {
  const answer = await invocation.call(getQueue, { name: args.name });
  const rows = answer.runs.map((run) => ({ state: 'running', id: run.run_id, title: `${run.used} in use` }));
  emit(invocation, {
    json: answer,
    records: answer.runs,
    ids: [answer.queue.name],
    text: () => [...queueRows(invocation, [answer.queue]), ...renderRows(rows, invocation.settings.style)],
  });
  return 0;
};

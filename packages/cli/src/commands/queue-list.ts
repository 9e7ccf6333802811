import { listQueues } from '@palisade/contracts';
import { emit } from '../output/format.ts';
import type { queueListCommand } from '../tree/registry-commands.ts';
import type { Handler } from './handler.ts';
import { queueRows } from './queue-rows.ts';

/** `pal queue list`. */
export const execute: Handler<typeof queueListCommand> = async (invocation) => {
  const answer = await invocation.call(listQueues, {});
  emit(invocation, {
    json: answer,
    records: answer.data,
    ids: answer.data.map((queue) => queue.name),
    text: () => queueRows(invocation, answer.data),
  });
  return 0;
};

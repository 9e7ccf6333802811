import { listDeliveries } from '@palisade/contracts';
import { emit } from '../output/format.ts';
import type { webhookDeliveriesCommand } from '../tree/webhook-commands.ts';
import type { Handler } from './handler.ts';
import { deliveryLines } from './webhook-rows.ts';

const LIMIT = 20;

/** `pal webhook deliveries [NAME]`. */
export const execute: Handler<typeof webhookDeliveriesCommand> = async (invocation, args, flags) => {
  const answer = await invocation.call(listDeliveries, {
    limit: flags.limit ?? LIMIT,
    ...(flags.all ? {} : { state: ['undelivered' as const] }),
    ...(args.name === undefined ? {} : { endpoint: args.name }),
    ...(flags.cursor === undefined ? {} : { cursor: flags.cursor }),
  });
  emit(invocation, {
    json: answer,
    records: answer.data,
    ids: answer.data.map(({ id }) => id),
    text: () =>
      answer.data.length === 0
        ? [flags.all ? 'no messages yet' : 'everything was delivered or waits (--all shows it)']
        : deliveryLines(invocation, answer.data),
  });
  const [first] = answer.data;
  if (answer.next_cursor !== undefined)
    invocation.hint(`pal webhook deliveries --cursor ${answer.next_cursor}${flags.all ? ' --all' : ''}`);
  else if (first !== undefined && !flags.all) invocation.hint(`pal webhook replay ${first.id}`);
  return 0;
};

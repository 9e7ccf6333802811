import { listWebhooks } from '@palisade/contracts';
import { emit } from '../output/format.ts';
import type { webhookListCommand } from '../tree/webhook-commands.ts';
import type { Handler } from './handler.ts';
import { webhookLines } from './webhook-rows.ts';

/** `pal webhook list`. */
export const execute: Handler<typeof webhookListCommand> = async (invocation) => {
  const answer = await invocation.call(listWebhooks, {});
  emit(invocation, {
    json: answer,
    records: answer.data,
    ids: answer.data.map(({ name }) => name),
    text: () =>
      answer.data.length === 0 ? ['no webhook endpoints yet'] : webhookLines(invocation, answer.data),
  });
  if (answer.data.length === 0) invocation.hint('pal webhook set NAME --url URL');
  else if (answer.data.some(({ undelivered }) => undelivered > 0)) invocation.hint('pal webhook deliveries');
  return 0;
};

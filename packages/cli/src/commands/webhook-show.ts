import { getWebhook } from '@palisade/contracts';
import { emit } from '../output/format.ts';
import { moment } from '../output/time.ts';
import type { webhookShowCommand } from '../tree/webhook-commands.ts';
import type { Handler } from './handler.ts';
import { deliveryLines, webhookLines } from './webhook-rows.ts';

/** `pal webhook show NAME`. */
export const execute: Handler<typeof webhookShowCommand> = async (invocation, args) => {
  const answer = await invocation.call(getWebhook, { name: args.name });
  const { webhook, deliveries } = answer;
  const { former_key_until: until } = webhook;
  emit(invocation, {
    json: answer,
    records: deliveries,
    ids: [webhook.name],
    text: () => [
      ...webhookLines(invocation, [webhook]),
      `  private addresses ${webhook.allow_private ? 'allowed' : 'refused'}  bearer token ${webhook.bearer ? 'sent' : 'none'}`,
      ...(until === undefined
        ? []
        : [`  the former key signs too until ${moment(until, invocation.settings.times)}`]),
      ...deliveryLines(invocation, deliveries).map((line) => `  ${line}`),
    ],
  });
  if (webhook.state === 'disabled') invocation.hint(`pal webhook set ${webhook.name}`);
  else if (webhook.undelivered > 0) invocation.hint(`pal webhook replay --endpoint ${webhook.name}`);
  return 0;
};

import { removeWebhook } from '@palisade/contracts';
import { emit } from '../output/format.ts';
import { outcome } from '../output/outcome.ts';
import type { webhookRmCommand } from '../tree/webhook-commands.ts';
import type { Handler } from './handler.ts';

/** `pal webhook rm NAME`. */
export const execute: Handler<typeof webhookRmCommand> = async (invocation, args) => {
  const answer = await invocation.call(removeWebhook, { name: args.name, ...invocation.rehearsed });
  emit(invocation, {
    json: answer,
    records: [answer],
    ids: [answer.name],
    text: () => [`${outcome(invocation, 'remove')}${answer.name}  its messages that waited are undelivered`],
  });
  return 0;
};

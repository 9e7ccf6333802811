import { testWebhook } from '@palisade/contracts';
import { emit } from '../output/format.ts';
import { outcome } from '../output/outcome.ts';
import type { webhookTestCommand } from '../tree/webhook-commands.ts';
import type { Handler } from './handler.ts';
import { outcomeText } from './webhook-rows.ts';

/** `pal webhook test NAME`: exit 1 when the message was not received. */
export const execute: Handler<typeof webhookTestCommand> = async (invocation, args) => {
  const answer = await invocation.call(testWebhook, { name: args.name, ...invocation.rehearsed });
  emit(invocation, {
    json: answer,
    records: [answer],
    ids: [answer.name],
    text: () => [
      invocation.isDryRun
        ? `${outcome(invocation, 'send')}one message to ${answer.name}`
        : `${answer.delivered ? 'ok      ' : 'failed  '} ${answer.name}  ${outcomeText(answer)}`,
    ],
  });
  return answer.delivered || invocation.isDryRun ? 0 : 1;
};

import { replayDeliveries } from '@palisade/contracts';
import { emit } from '../output/format.ts';
import { outcome } from '../output/outcome.ts';
import { count } from '../output/time.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { webhookReplayCommand } from '../tree/webhook-commands.ts';
import type { Handler } from './handler.ts';

/** `pal webhook replay ID…` or `--endpoint NAME`: makes messages wait again, and sees to an engine. */
export const execute: Handler<typeof webhookReplayCommand> = async (invocation, args, flags) => {
  const isByEndpoint = flags.endpoint !== undefined;
  if (isByEndpoint === args.ids.length > 0)
    throw new UsageError('messages are named by their ids, or all by --endpoint', {
      next: 'pal webhook deliveries',
    });
  const answer = await invocation.call(replayDeliveries, {
    ...invocation.rehearsed,
    ...(flags.endpoint === undefined ? { ids: [...args.ids] } : { endpoint: flags.endpoint }),
  });
  if (!invocation.isDryRun && answer.ids.length > 0) await (await invocation.controlPlane()).ensureEngine();
  emit(invocation, {
    json: answer,
    records: answer.ids.map((id) => ({ id })),
    ids: answer.ids,
    text: () => [`${outcome(invocation, 'replay')}${count(answer.ids.length, 'message')}`],
  });
  if (!invocation.isDryRun) invocation.hint('pal webhook deliveries --all');
  return 0;
};

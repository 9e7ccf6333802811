import { setQueue } from '@palisade/contracts';
import { emit } from '../output/format.ts';
import { outcome } from '../output/outcome.ts';
import type { queueSetCommand } from '../tree/registry-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';

/** `pal queue set NAME --concurrency N`. */
export const execute: Handler<typeof queueSetCommand> = async (invocation, args, flags) => {
  const { concurrency } = flags;
  if (concurrency === undefined)
    throw new UsageError('a queue needs its limit', { next: `pal queue set ${args.name} --concurrency N` });
  const answer = await invocation.call(setQueue, {
    name: args.name,
    concurrency,
    ...invocation.rehearsed,
  });
  const before = answer.previous === undefined ? 'new' : `before ${answer.previous}`;
  emit(invocation, {
    json: answer,
    records: [answer],
    ids: [answer.name],
    text: () => [`${outcome(invocation, 'set')}${answer.name}  ${answer.concurrency} at once  ${before}`],
  });
  if (!invocation.isDryRun) invocation.hint(`pal queue show ${answer.name}`);
  return 0;
};

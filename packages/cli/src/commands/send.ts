import { limits, sendMessage } from '@palisade/contracts';
import { parseItemRef } from '../item-ref.ts';
import { emit } from '../output/format.ts';
import { outcome } from '../output/outcome.ts';
import { saidText } from '../said-text.ts';
import type { sendCommand } from '../tree/request-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';

/** `pal send RUN/ITEM TEXT`: a message to an item's agent, which finds it in its inbox while it runs. */
export const execute: Handler<typeof sendCommand> = async (invocation, args) => {
  const { run, item } = parseItemRef(args.target);
  if (item === undefined)
    throw new UsageError('a message goes to an item: RUN/ITEM', { next: `pal show ${run}` });
  const answer = await invocation.call(sendMessage, {
    run,
    item,
    // The newline at the end of a file is no part of what is said.
    body: await saidText(invocation, args.text, limits.messageBytes + 2, 'a message'),
    ...invocation.rehearsed,
  });
  // An engine hands it on; a run nobody owns needs one.
  if (!invocation.isDryRun) await (await invocation.controlPlane()).ensureEngine();
  const { message } = answer;
  const target = `${message.run_id}/${message.item}`;
  emit(invocation, {
    json: answer,
    records: [message],
    ids: [message.id],
    text: () => [`${outcome(invocation, 'send')}${target}  message ${message.seq}, ${message.bytes} bytes`],
  });
  if (!invocation.isDryRun) invocation.hint(`pal messages ${target}`);
  return 0;
};

import { listMessages, type MessageView } from '@palisade/contracts';
import type { Settings } from '../invocation.ts';
import { parseItemRef } from '../item-ref.ts';
import { foreignLine } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { saidBlock } from '../output/request-lines.ts';
import { moment } from '../output/time.ts';
import type { messagesCommand } from '../tree/request-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';

/** `pal messages RUN/ITEM`: what was sent to an item's agent, and which attempts it has come to. */
export const execute: Handler<typeof messagesCommand> = async (invocation, args) => {
  const { run, item } = parseItemRef(args.target);
  if (item === undefined)
    throw new UsageError('messages are those of an item: RUN/ITEM', { next: `pal show ${run}` });
  const answer = await invocation.call(listMessages, { run, item });
  emit(invocation, {
    json: answer,
    records: answer.data,
    ids: answer.data.map(({ id }) => id),
    text: () =>
      answer.data.length === 0
        ? ['nothing was sent to it']
        : answer.data.flatMap((each) => linesOf(each, invocation.settings.times)),
  });
  return 0;
};

/** What people sent stands behind a bar, like all that is not said by Palisade. */
function linesOf(
  { seq, body, sent_at: at, sent_by: by, delivered }: MessageView,
  times: Settings['times'],
): string[] {
  const attempts = delivered.map(({ attempt }) => attempt);
  const came =
    attempts.length === 0
      ? 'not delivered yet'
      : `delivered to attempt${attempts.length === 1 ? '' : 's'} ${attempts.join(', ')}`;
  return [`${seq}  ${moment(at, times)}  ${foreignLine(by)}  ${came}`, ...saidBlock(body)];
}

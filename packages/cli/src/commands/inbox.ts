import { listRequests, type RequestView } from '@palisade/contracts';
import { emit } from '../output/format.ts';
import { requestRow, shortHash, verbOf } from '../output/request-lines.ts';
import { renderRows } from '../output/row.ts';
import type { inboxCommand } from '../tree/request-commands.ts';
import type { Handler } from './handler.ts';

/** `pal inbox [RUN]`: what people are asked, oldest first. */
export const execute: Handler<typeof inboxCommand> = async (invocation, args, flags) => {
  const answer = await invocation.call(listRequests, {
    ...(args.run === undefined ? {} : { run: args.run }),
    ...(flags.all ? { all: true } : {}),
  });
  const now = Date.now();
  const { style } = invocation.settings;
  emit(invocation, {
    json: answer,
    records: answer.data,
    ids: answer.data.map((request) => `${request.run_id}/${request.item}`),
    text: () =>
      answer.data.length === 0
        ? [flags.all ? 'nobody was asked anything' : 'nothing waits for you']
        : renderRows(
            answer.data.map((request) => requestRow(request, now)),
            style,
          ).flatMap((row, i) => [row, ...hashOf(answer.data[i])]),
  });
  const open = answer.data.find(({ state }) => state === 'open');
  if (open !== undefined) invocation.hint(`pal ${verbOf(open)} ${open.run_id}/${open.item}`);
  return 0;
};

/** What an answer is bound with (`--hash`), on a line of its own: a row has no room for it beside the question. */
function hashOf(request: RequestView | undefined): string[] {
  return request?.state === 'open' ? [`  hash   ${shortHash(request)}`] : [];
}

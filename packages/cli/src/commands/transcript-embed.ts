import { chooseEmbedder, embedTranscripts } from '@palisade/memory';
import { foreignLine } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { count } from '../output/time.ts';
import type { transcriptEmbedCommand } from '../tree/transcript-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';
import { withTranscripts } from './transcript.ts';

/** The most that endpoints take in one request. */
const MAX_BATCH = 2048;

/** `pal transcript embed`. */
export const execute: Handler<typeof transcriptEmbedCommand> = (invocation, { session }, flags) => {
  const { limit, batchSize } = flags;
  if (batchSize !== undefined && (batchSize < 1 || batchSize > MAX_BATCH))
    throw new UsageError(`--batch-size must be 1 to ${MAX_BATCH}`);
  const { err, settings } = invocation;
  const isShown = err.isTty && settings.manner === 'live';
  const embedder = chooseEmbedder(invocation.env);
  return withTranscripts(
    invocation,
    async (database) => {
      const answer = await embedTranscripts(database, {
        embedder,
        signal: invocation.interrupted,
        session,
        limit,
        batchSize,
        onProgress: (done, all) => {
          if (isShown && done % 50 === 0) err.line(`embedded ${done} of ${count(all, 'session')}`);
        },
      });
      emit(invocation, {
        json: answer,
        records: [answer],
        ids: [],
        text: () => [
          `embedded  ${count(answer.sessions, 'session')} in ${count(answer.chunks, 'piece')}, ${answer.reused} of them known, with ${foreignLine(answer.provider)} ${foreignLine(answer.model)}`,
          ...(answer.backlog === 0 ? [] : [`waiting   ${count(answer.backlog, 'session')}`]),
        ],
      });
      invocation.hint('pal transcript search --hybrid WORDS');
      return 0;
    },
    { create: true },
  );
};

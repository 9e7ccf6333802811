import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { LiveTranscripts } from '@palisade/contracts';
import { agentProcesses, liveTranscripts } from '@palisade/memory';
import type { Invocation } from '../invocation.ts';
import { foreignLine } from '../output/foreign-text.ts';
import { emit, type View } from '../output/format.ts';
import { notesText } from '../output/repo-text.ts';
import { count, elapsed } from '../output/time.ts';
import type { transcriptLiveCommand } from '../tree/transcript-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';
import { withTranscripts } from './transcript.ts';

const REFRESH_MS = 2000;
/** Puts the cursor at the top and empties what is below. */
const AFRESH = '\u001B[H\u001B[J';

/** `pal transcript live`. */
export const execute: Handler<typeof transcriptLiveCommand> = async (invocation, _args, flags) => {
  const { settings, out, interrupted } = invocation;
  if (!flags.watch) {
    emit(invocation, await look(invocation, flags));
    return 0;
  }
  if (settings.format !== 'text')
    throw new UsageError('--watch has no end, so it is no document', {
      next: 'leave --watch out and ask again',
    });
  while (!interrupted.aborted) {
    const view = await look(invocation, flags);
    const isDrawn = out.isTty && settings.manner === 'live';
    out.line(`${isDrawn ? AFRESH : ''}${view.text().join('\n')}`);
    try {
      await delay(REFRESH_MS, undefined, { signal: interrupted });
    } catch {
      // Interrupted: that is how it ends.
    }
  }
  return 0;
};

async function look(
  invocation: Invocation,
  { all, details }: { all: boolean; details: boolean },
): Promise<View> {
  const answer = await withTranscripts(
    invocation,
    (database) =>
      liveTranscripts(database, {
        processes: agentProcesses(all),
        env: invocation.env,
        now: Date.now(),
        host: hostname(),
        signal: invocation.interrupted,
      }),
    { create: true },
  );
  return {
    json: answer,
    records: answer.sessions,
    ids: answer.sessions.flatMap(({ id }) => id ?? []),
    text: () => [
      `${count(answer.sessions.length, 'agent')} on ${foreignLine(answer.host)}`,
      ...answer.sessions.flatMap((session) => lines(session, answer.generated_at, details)),
      ...notesText(answer.notes),
    ],
  };
}

function lines(
  session: LiveTranscripts['sessions'][number],
  now: number,
  details: boolean,
): readonly string[] {
  const idle = session.last_active_at === null ? '' : `  quiet for ${elapsed(now - session.last_active_at)}`;
  const name = session.id === null ? '(starting up)' : foreignLine(session.title ?? session.id);
  return [
    `${String(session.pid).padStart(7)}  ${session.tty ?? '-'}  ${session.harness}  ${elapsed(session.age_seconds * 1000)}  ${name}${idle}`,
    ...(details
      ? [
          `         ${[session.effective_workdir, session.git_branch, session.status, session.id]
            .flatMap((each) => (each === null ? [] : [foreignLine(each)]))
            .join('  ')}`,
          ...(session.recent_action === null ? [] : [`         ${foreignLine(session.recent_action)}`]),
        ]
      : []),
  ];
}

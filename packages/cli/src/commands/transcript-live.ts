import type { LiveTranscripts } from '@palisade/contracts';
import type { Invocation } from '../invocation.ts';
import { foreignLine } from '../output/foreign-text.ts';
import { emit, type View } from '../output/format.ts';
import { watched } from '../output/watched.ts';
import { notesText } from '../output/repo-text.ts';
import { count, elapsed } from '../output/time.ts';
import type { transcriptLiveCommand } from '../tree/transcript-commands.ts';
import type { Handler } from './handler.ts';
import { liveNow } from './live-now.ts';

/** `pal transcript live`. */
export const execute: Handler<typeof transcriptLiveCommand> = async (invocation, _args, flags) => {
  if (!flags.watch) {
    emit(invocation, await look(invocation, flags));
    return 0;
  }
  return watched(invocation, () => look(invocation, flags));
};

async function look(
  invocation: Invocation,
  { all, details }: { all: boolean; details: boolean },
): Promise<View> {
  const answer = await liveNow(invocation, all);
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

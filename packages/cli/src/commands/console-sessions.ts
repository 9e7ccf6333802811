import { realpathSync } from 'node:fs';
import {
  acceptHandoff,
  callingAgent,
  claimTarget,
  consoleSession,
  consoleSnapshot,
  listHandoffs,
  setManifest,
  writeHandoff,
} from '@palisade/memory';
import type { Invocation } from '../invocation.ts';
import {
  authorityLines,
  claimLine,
  consoleSessionLines,
  handoffLines,
  keyText,
  manifestLines,
} from '../output/console-text.ts';
import { emit, type View } from '../output/format.ts';
import { notesText } from '../output/repo-text.ts';
import { count } from '../output/time.ts';
import { watched } from '../output/watched.ts';
import type * as tree from '../tree/console-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import {
  changedLines,
  changeOf,
  neededSession,
  repositoryAround,
  sessionWritten,
  withConsole,
  withConsoleToChange,
} from './console-invocation.ts';
import type { Handler } from './handler.ts';
import { liveNow } from './live-now.ts';

/** `pal console list`. */
export const list: Handler<typeof tree.consoleListCommand> = async (invocation, _args, { all, watch }) => {
  if (watch) return watched(invocation, () => look(invocation, all));
  emit(invocation, await look(invocation, all));
  return 0;
};

async function look(invocation: Invocation, isAll: boolean): Promise<View> {
  const live = await liveNow(invocation, isAll);
  const answer = await withConsole(invocation, (console) => consoleSnapshot(console, live, isAll));
  return {
    json: answer,
    records: answer.sessions,
    ids: answer.sessions.map(keyText),
    text: () => [
      ...(answer.sessions.length === 0 ? ['no agent runs, and none has said anything'] : []),
      ...answer.sessions.flatMap((session) => consoleSessionLines(session, answer.generated_at)),
      ...(answer.starting === 0 ? [] : [`${count(answer.starting, 'agent')} starting up`]),
      ...notesText(answer.notes),
    ],
  };
}

/** `pal console show [SESSION]`. */
export const show: Handler<typeof tree.consoleShowCommand> = async (invocation, { session: written }) => {
  const live = await liveNow(invocation, true);
  return withConsole(invocation, (console) => {
    const session =
      written === undefined
        ? neededSession(invocation, console)
        : sessionWritten(invocation, console, written);
    const answer = consoleSession(console, session, live);
    const { times } = invocation.settings;
    emit(invocation, {
      json: answer,
      records: [answer],
      ids: [keyText(answer)],
      text: () => [
        ...consoleSessionLines(answer, console.now),
        ...(answer.manifest === null ? [] : manifestLines(answer.manifest, times)),
        ...answer.claims.map((claim) => claimLine(claim, times)),
        ...answer.handoffs.flatMap((handoff) => handoffLines(handoff, times)),
        ...answer.requests.flatMap(authorityLines),
      ],
    });
    return 0;
  });
};

/** `pal console manifest-set`. */
export const manifestSet: Handler<typeof tree.consoleManifestSetCommand> = async (
  invocation,
  _args,
  flags,
) => {
  const { goal, step, stop, file, next, risk, blocker } = flags;
  const given = (texts: readonly string[]) => (texts.length === 0 ? undefined : texts);
  const isEmpty = [goal, step, stop].every((text) => text === undefined);
  if (isEmpty && [file, next, risk, blocker].every((texts) => texts.length === 0))
    throw new UsageError('nothing is said', { next: 'add --goal TEXT' });
  const around = await repositoryAround(invocation);
  const files = given(file)?.map((path) =>
    around === undefined || path === '' ? path : claimTarget(around, around.directory, path).target,
  );
  return withConsoleToChange(invocation, async (console) => {
    const session = neededSession(invocation, console);
    const words = {
      goal,
      step,
      stop,
      files,
      next: given(next),
      risks: given(risk),
      blockers: given(blocker),
    };
    const answer = await setManifest(console, {
      ...changeOf(invocation, 'manifest', session, words),
      session,
      cwd: realpathSync(invocation.directory),
      repository: around?.repository ?? null,
      sourcePid: callingAgent(),
      words,
    });
    emit(invocation, {
      json: answer,
      records: [answer],
      ids: [keyText(answer)],
      text: () =>
        changedLines(invocation, 'say', [
          keyText(answer),
          ...manifestLines(answer, invocation.settings.times),
        ]),
    });
    return 0;
  });
};

/** `pal console handoff-write SUMMARY`. */
export const handoffWrite: Handler<typeof tree.consoleHandoffWriteCommand> = async (
  invocation,
  { summary },
  { to: written, next: pending, blocker: blockers },
) => {
  const around = await repositoryAround(invocation);
  return withConsoleToChange(invocation, async (console) => {
    const from = neededSession(invocation, console);
    const to = written === undefined ? undefined : sessionWritten(invocation, console, written, true);
    const said = { from, to, repository: around?.repository ?? null, summary, pending, blockers };
    const answer = await writeHandoff(console, { ...changeOf(invocation, 'handoff', said), ...said });
    emitHandoffs(invocation, answer, [answer], 'hand off');
    return 0;
  });
};

/** `pal console handoff-list`. */
export const handoffList: Handler<typeof tree.consoleHandoffListCommand> = async (
  invocation,
  _args,
  { all, to: written, here },
) => {
  const around = here ? await repositoryAround(invocation) : undefined;
  if (here && around === undefined) throw new UsageError('there is no repository here');
  return withConsole(invocation, (console) => {
    const to = written === undefined ? undefined : sessionWritten(invocation, console, written);
    const data = listHandoffs(console, {
      to: to === undefined ? undefined : (to.row ?? -1),
      repository: around?.repository,
      isEver: all,
    });
    emitHandoffs(invocation, { data }, data);
    return 0;
  });
};

/** `pal console handoff-accept HANDOFF`. */
export const handoffAccept: Handler<typeof tree.consoleHandoffAcceptCommand> = (
  invocation,
  { handoff: id },
) =>
  withConsoleToChange(invocation, async (console) => {
    const session = neededSession(invocation, console);
    const answer = await acceptHandoff(console, {
      ...changeOf(invocation, 'accept', session, id),
      session,
      id,
    });
    emitHandoffs(invocation, answer, [answer], 'accept');
    return 0;
  });

/** @param verb what was done to them, when it was a change */
function emitHandoffs(
  invocation: Invocation,
  json: unknown,
  data: ReturnType<typeof listHandoffs>,
  verb?: string,
): void {
  emit(invocation, {
    json,
    records: data,
    ids: data.map(({ id }) => id),
    text: () =>
      data.length === 0
        ? ['nothing is left to anybody']
        : data.flatMap((handoff) => {
            const lines = handoffLines(handoff, invocation.settings.times);
            return verb === undefined ? lines : changedLines(invocation, verb, lines);
          }),
  });
}

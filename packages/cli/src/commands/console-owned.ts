import { interruptOwned, listOwned, logTail, showOwned } from '@palisade/memory';
import { authorityLines, ownedLines } from '../output/console-text.ts';
import { foreignLog } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import type * as tree from '../tree/console-commands.ts';
import { changedLines, changeOf, partyOf, withConsole, withConsoleToChange } from './console-invocation.ts';
import type { Handler } from './handler.ts';

const LINES = 200;

/** `pal console owned-list`. */
export const list: Handler<typeof tree.consoleOwnedListCommand> = (invocation, _args, { all }) =>
  withConsole(invocation, (console) => {
    const data = listOwned(console, all);
    emit(invocation, {
      json: { data },
      records: data,
      ids: data.map(({ id }) => id),
      text: () =>
        data.length === 0
          ? ['nothing runs that was started here']
          : data.flatMap((owned) => ownedLines(owned, invocation.settings.times)),
    });
    return 0;
  });

/** `pal console owned-show ID`. */
export const show: Handler<typeof tree.consoleOwnedShowCommand> = (invocation, { id }) =>
  withConsole(invocation, (console) => {
    const answer = showOwned(console, id);
    emit(invocation, {
      json: answer,
      records: [answer],
      ids: [answer.id],
      text: () => ownedLines(answer, invocation.settings.times),
    });
    return 0;
  });

/** `pal console read ID`. */
export const read: Handler<typeof tree.consoleReadCommand> = (invocation, { id }, { tail }) =>
  withConsole(invocation, (console) => {
    const { status, log } = showOwned(console, id);
    const { lines, hasMore } = logTail(log, tail ?? LINES);
    emit(invocation, {
      json: { id, status, log, lines, has_more: hasMore },
      records: lines.map((line) => ({ line })),
      ids: [id],
      text: () => lines.map(foreignLog),
    });
    return 0;
  });

/** `pal console interrupt ID`. */
export const interrupt: Handler<typeof tree.consoleInterruptCommand> = (invocation, { id }) =>
  withConsoleToChange(invocation, async (console) => {
    const answer = await interruptOwned(console, {
      ...changeOf(invocation, 'interrupt', id),
      id,
      party: partyOf(invocation, console),
    });
    emit(invocation, {
      json: answer,
      records: [answer.owned],
      ids: [id],
      text: () =>
        changedLines(invocation, 'interrupt', [
          ...ownedLines(answer.owned, invocation.settings.times),
          ...authorityLines(answer.event),
        ]),
    });
    return 0;
  });

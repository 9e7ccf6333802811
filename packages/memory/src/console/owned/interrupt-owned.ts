import { type ConsoleInterrupt, type ConsoleOwned, PalisadeError } from '@palisade/contracts';
import { hasProcessTable } from '@palisade/process';
import { addRequest, markDispatched, requestOf } from '../authority.ts';
import { type Change, type Console, changeRow, idNumber, type Party } from '../console.ts';
import { groupOf, type OwnedRow, ownedRow, settle, showOwned } from './owned-rows.ts';

/**
 * Sends SIGINT to the process group of a command that the console started, and to nothing else (WM-077, WM-078): a group
 * that cannot be proved to be the command's is left alone, as a recycled pid would be a stranger's (D-08). That is looked
 * at again right before the signal. It is kept as an event of authority. Errors: `not_found`, `invalid_state` when it does
 * not run, `requirements_unmet` without `/proc`.
 */
export async function interruptOwned(
  console: Console,
  { id, party, ...wish }: Change & { readonly id: string; readonly party: Party },
): Promise<ConsoleInterrupt> {
  const { database } = console;
  if (!hasProcessTable())
    throw new PalisadeError('requirements_unmet', 'processes can only be told apart where there is /proc');
  let token: string | undefined;
  const event = await changeRow(
    console,
    wish,
    (now) => {
      const row = ownedRow(database, id);
      token = row.token;
      const { session: target } = runningGroup(console, row).owned;
      const request = { level: 'interrupt', action: 'interrupt', target, details: undefined };
      return addRequest(database, { ...wish, ...request, party }, now);
    },
    (number) => requestOf(database, number),
  );
  if (wish.isRehearsal || event.status !== 'requested') return { owned: showOwned(console, id), event };
  const number = idNumber('act', 'request', event.id);
  return await database.write(() => {
    const row = ownedRow(database, id);
    // An id may have been given to the next run since.
    if (token === undefined ? row.started_at > event.created_at : row.token !== token)
      throw notRunning(id, 'it is another run by now');
    const { owned, group } = runningGroup(console, row);
    signalGroup(group);
    markDispatched(database, number, console.now);
    return { owned, event: requestOf(database, number) };
  }, console.signal);
}

function runningGroup(
  console: Console,
  row: OwnedRow,
): { readonly owned: ConsoleOwned; readonly group: number } {
  const owned = settle(console, row);
  const group = groupOf(row);
  if (group === undefined) throw notRunning(row.id, `it is ${owned.status}`);
  return { owned, group };
}

function notRunning(id: string, why: string): PalisadeError {
  return new PalisadeError('invalid_state', `nothing of ${id} runs here`, {
    why,
    next: `pal console owned-show ${id}`,
  });
}

function signalGroup(group: number): void {
  try {
    process.kill(-group, 'SIGINT');
  } catch (error) {
    // It ended between the look and the signal, as was asked.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

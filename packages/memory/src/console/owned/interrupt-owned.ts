import { type ConsoleInterrupt, PalisadeError } from '@palisade/contracts';
import { hasProcessTable } from '@palisade/process';
import { requestAuthority } from '../authority.ts';
import type { Change, Console, Party } from '../console.ts';
import { groupOf, ownedRow, settle } from './owned-rows.ts';

/**
 * Sends SIGINT to the process group of a command that the console started, and to nothing else (WM-077, WM-078): a group
 * that cannot be proved to be the command's is left alone, as a recycled pid would be a stranger's (D-08). It is kept as
 * an event of authority. Errors: `not_found`, `invalid_state` when it does not run, `requirements_unmet` without `/proc`.
 */
export async function interruptOwned(
  console: Console,
  { id, party, ...change }: Change & { readonly id: string; readonly party: Party },
): Promise<ConsoleInterrupt> {
  const { database, now } = console;
  const row = ownedRow(database, id);
  const owned = settle(console, row);
  if (!hasProcessTable())
    throw new PalisadeError('requirements_unmet', 'processes can only be told apart where there is /proc');
  const group = groupOf(row);
  if (group === undefined)
    throw new PalisadeError('invalid_state', `nothing of ${id} runs here`, {
      why: `it is ${owned.status}`,
      next: `pal console owned-show ${id}`,
    });
  const asked = await requestAuthority(console, {
    ...change,
    party,
    level: 'interrupt',
    action: 'interrupt',
    target: owned.session,
    details: undefined,
  });
  if (change.isRehearsal || asked.status !== 'requested') return { owned, event: asked };
  signalGroup(group);
  const event = await database.write(() => {
    database.run(
      `UPDATE authority SET status = 'dispatched', dispatched_at = ? WHERE idempotency_key = ?`,
      now,
      change.idempotencyKey,
    );
    return { ...asked, status: 'dispatched' as const, dispatched_at: now };
  }, console.signal);
  return { owned, event };
}

function signalGroup(group: number): void {
  try {
    process.kill(-group, 'SIGINT');
  } catch (error) {
    // It ended between the look and the signal, as was asked.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

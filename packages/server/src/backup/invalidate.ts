import { abortPending } from '@palisade/automation';
import type { Invalidated } from '@palisade/contracts';
import { holdEverything } from '@palisade/dispatch';
import { endAllAccess, type Restoration, unknownPassword } from '@palisade/identity';
import { type Database, fenceAll, forgetInstallationKeys, rehearse, type WriteTx } from '@palisade/kernel';

const ACTOR = 'system:host';

/**
 * Makes a restored database one that goes on by itself (AC-277, AO-196): nobody who could use it then can use it now, cursors and fences of
 * then are not good any more, and nothing that had begun goes on until a person says so. All in one unit of work, which `first` begins and
 * may refuse. `dryRun` tells what it would end, and changes nothing.
 */
export async function invalidate(
  database: Database,
  restoration: Restoration,
  {
    first,
    dryRun = false,
  }: { readonly first?: (tx: WriteTx) => Promise<void>; readonly dryRun?: boolean } = {},
): Promise<Invalidated> {
  const unknown = await unknownPassword();
  const body = async (tx: WriteTx): Promise<Invalidated> => {
    await first?.(tx);
    await fenceAll(tx);
    await forgetInstallationKeys(tx);
    const held = await holdEverything(tx, ACTOR, 'restored from a snapshot');
    const messages = await abortPending(tx);
    const ended = await endAllAccess(tx, restoration, unknown);
    return {
      credentials_revoked: ended.credentials,
      people_disabled: ended.people,
      runs_paused: held.runs,
      schedules_suspended: held.schedules,
      messages_held: messages,
    };
  };
  return dryRun ? rehearse(database, body) : database.write(body, { whilePaused: true });
}

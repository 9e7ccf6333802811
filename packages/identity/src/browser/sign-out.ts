import type { Database } from '@palisade/kernel';
import { record } from '../audit/record.ts';
import { revokeSession } from './browser-session-store.ts';
import type { BrowserCaller } from './authenticate-session.ts';

/** Ends the session of a caller; one that has ended already is left alone. */
export async function signOut(database: Database, caller: BrowserCaller, requestId?: string): Promise<void> {
  const session = caller.credential ?? '';
  const context = { actor: caller.actor, caller, ...(requestId === undefined ? {} : { requestId }) };
  await database.write(
    async (tx) => {
      if (await revokeSession(tx, session))
        await record(tx, context, 'browser', 'browser.signed_out', { target: session, outcome: 'done' });
    },
    { whilePaused: true },
  );
}

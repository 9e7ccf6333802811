import type { Caller } from '@palisade/contracts';
import type { Database, NearClock } from '@palisade/kernel';
import { isLive } from '../credentials/credential.ts';
import { tokenHash } from '../credentials/token.ts';
import { actorOf, type Principal, scopesOf } from '../principals/principal.ts';
import { findPrincipal } from '../principals/principal-store.ts';
import { sessionByValue } from './browser-session-store.ts';
import { isSessionValue } from './session-cookie.ts';

/** A person in a browser. */
export interface BrowserCaller extends Caller {
  readonly class: 'browser';
}

/**
 * Whose session a cookie holds; null for one that is malformed, unknown, expired or revoked, or whose person is disabled. What the person may do
 * is read at every call.
 */
export async function authenticateSession(
  { database, clock }: { readonly database: Database; readonly clock: Pick<NearClock, 'now'> },
  value: string,
): Promise<{ readonly caller: BrowserCaller; readonly principal: Principal } | null> {
  if (!isSessionValue(value)) return null;
  const now = await clock.now();
  const { session, principal } = await database.read(async (tx) => {
    const found = await sessionByValue(tx, tokenHash(value));
    return { session: found, principal: await findPrincipal(tx, found?.principal ?? '') };
  });
  if (session === undefined || principal === undefined) return null;
  if (principal.disabledAt !== null || !isLive(session, now)) return null;
  const caller: BrowserCaller = {
    actor: actorOf(principal),
    kind: 'human',
    scopes: new Set(scopesOf(principal)),
    project: null,
    principal: principal.id,
    credential: session.id,
    class: 'browser',
  };
  return { caller, principal };
}

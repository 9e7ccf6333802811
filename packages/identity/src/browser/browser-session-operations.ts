import {
  bindOperation,
  type BoundOperation,
  type Caller,
  listBrowserSessions,
  PalisadeError,
  revokeBrowserSession,
} from '@palisade/contracts';
import type { Database } from '@palisade/kernel';
import { change } from '../callers/change.ts';
import { pageOf } from '../callers/page.ts';
import { sessionView } from './browser-session.ts';
import { findSession, revokeSession, sessionsOf } from './browser-session-store.ts';
import type { SessionCookies } from './session-cookie.ts';

/** The operations on sign-ins in browsers (AC-048, AO-168). Ending one changes nothing that its person owns. */
export function browserSessionOperations(database: Database, cookies: SessionCookies): BoundOperation[] {
  return [
    bindOperation(listBrowserSessions, async ({ principal, ...page }, { caller }) => {
      const whose = principal ?? caller.principal;
      if (whose === null)
        throw new PalisadeError('invalid_input', 'it does not say whose sessions', {
          next: 'name a principal',
        });
      if (!maySee(caller, whose))
        throw new PalisadeError('operation_not_permitted', 'these are sessions of somebody else', {
          next: 'ask an administrator',
        });
      return database.read((tx) =>
        pageOf(
          page,
          (asked) => sessionsOf(tx, whose, asked),
          (one) => sessionView(one, caller.credential),
        ),
      );
    }),
    bindOperation(revokeBrowserSession, async ({ session: id, dry_run: dryRun }, context) => {
      const { caller } = context;
      const made = {
        operation: revokeBrowserSession,
        action: 'browser.session_revoked',
        target: id,
      } as const;
      const how = { ...made, request: { id }, dryRun, whilePaused: true };
      const { answer } = await change(database, context, how, async (tx) => {
        const session = await findSession(tx, id);
        if (session === undefined || !maySee(caller, session.principal))
          throw new PalisadeError('not_found', `there is no browser session ${id}`, {
            next: 'list your browser sessions to see their ids',
          });
        const revoked = await revokeSession(tx, id);
        const after = revoked ? { ...session, revokedAt: tx.now } : session;
        return { answer: sessionView(after, caller.credential), target: revoked ? id : null };
      });
      if (answer.current && dryRun !== true) context.browser?.setCookie(cookies.cleared);
      return answer;
    }),
  ];
}

function maySee({ principal, scopes }: Caller, whose: string): boolean {
  return whose === principal || scopes.has('system');
}

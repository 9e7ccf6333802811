import { type CallContext, PalisadeError } from '@palisade/contracts';
import { expiryTime, type WriteTx } from '@palisade/kernel';
import { findSession } from './browser-session-store.ts';

/** How long after signing in a person may change how they sign in, ms: twice as long as a challenge of a passkey lives. */
const RECENT_MS = 600_000;

/**
 * Refuses whoever signed in longer ago, or not at all, to change how the person signs in: a session that was left open or stolen must not
 * become the account. To authenticate again is to sign in again, which puts a new session in the place of this one (ASVS 5.0, 7.5.1 and
 * 7.2.4). Inside a unit of work, after `recheck`. Raises `reauthentication_required`.
 */
export async function assertSignedInOfLate(
  tx: WriteTx,
  { caller }: Pick<CallContext, 'caller'>,
): Promise<void> {
  const session = await findSession(tx, caller.credential ?? '');
  if (session !== undefined && (await expiryTime(tx)) < session.createdAt + RECENT_MS) return;
  throw new PalisadeError(
    'reauthentication_required',
    'you signed in too long ago to change how you sign in',
    {
      why: 'a session that was left open or stolen must not become the account',
      next: `sign in again, and repeat it within ${RECENT_MS / 60_000} minutes`,
    },
  );
}

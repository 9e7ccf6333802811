import { type AuditFacts, type Caller, PalisadeError } from '@palisade/contracts';
import { expiryTime, type WriteTx } from '@palisade/kernel';
import { findSession } from '../browser/browser-session-store.ts';
import { isLive } from '../credentials/credential.ts';
import { isStillBound } from '../harness-sessions/bind-session.ts';
import { isStillReporting } from '../jobs/reporter.ts';
import { heldCredential } from '../credentials/credential-store.ts';
import { findPrincipal } from '../principals/principal-store.ts';

/** One answer, whatever is wrong with a credential: who asks learns nothing of it (AC-017). */
export function unauthenticated(): PalisadeError {
  return new PalisadeError('authentication_required', 'there is no valid credential', {
    why: 'it is unknown, expired or revoked, or its principal is disabled',
    next: 'sign in again, or ask an administrator for a credential',
  });
}

/**
 * Looks again whether a caller may still call, for use inside a unit of work: a credential or principal that was revoked, expired or
 * disabled since it authenticated, a harness session that was closed or a reporter whose days are over, raises `authentication_required` (AC-056). Gives the class of its credential, which audit records
 * name; null for whoever holds the control plane's own files.
 */
export async function recheck(tx: WriteTx, caller: Caller): Promise<AuditFacts['class']> {
  if (caller.principal === null && caller.credential === null) return null;
  if (caller.principal === null || caller.credential === null) throw unauthenticated();
  if (caller.credential.startsWith('bses_')) {
    const principal = await findPrincipal(tx, caller.principal);
    const session = await findSession(tx, caller.credential);
    if (principal === undefined || principal.disabledAt !== null) throw unauthenticated();
    if (session?.principal !== principal.id || !isLive(session, await expiryTime(tx)))
      throw unauthenticated();
    return 'browser';
  }
  const found = await heldCredential(tx, 'id', caller.credential);
  if (found === undefined) throw unauthenticated();
  const { credential, principal } = found;
  if (principal.id !== caller.principal || principal.disabledAt !== null) throw unauthenticated();
  if (!isLive(credential, await expiryTime(tx))) throw unauthenticated();
  if (!(await isStillBound(tx, caller)) || !(await isStillReporting(tx, caller))) throw unauthenticated();
  return credential.class;
}

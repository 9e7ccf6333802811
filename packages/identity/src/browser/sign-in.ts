import { isName, newId, PalisadeError, type PrincipalView, type SessionCookie } from '@palisade/contracts';
import type { Database, WriteTx } from '@palisade/kernel';
import { record } from '../audit/record.ts';
import { isLive } from '../credentials/credential.ts';
import { tokenHash } from '../credentials/token.ts';
import type { PasswordHasher } from '../passwords/password-hasher.ts';
import { passwordHash } from '../passwords/password-store.ts';
import type { Throttle } from '../passwords/throttle.ts';
import { actorOf, nameKey, type Principal, principalView, scopesOf } from '../principals/principal.ts';
import { findPrincipal, principalByName } from '../principals/principal-store.ts';
import { insertSession, revokeSession, sessionByValue } from './browser-session-store.ts';
import { csrfToken, isSessionValue, newSessionValue, type SessionCookies } from './session-cookie.ts';

export interface SignInDeps {
  readonly database: Database;
  readonly hasher: PasswordHasher;
  readonly throttle: Throttle;
  readonly cookies: SessionCookies;
}

export interface SignInInput {
  readonly name: string;
  readonly password: string;
  /** What the cookie of the request holds: that session ends here. */
  readonly previous?: string | undefined;
  readonly requestId?: string | undefined;
}

/** Who signed in. The body of the answer is the first two; the cookie is set beside it. */
export interface SignedIn {
  readonly actor: PrincipalView;
  readonly csrf_token: string;
  readonly cookie: SessionCookie;
}

/** One answer, whatever was wrong: who has an account is not told. */
function refused(): PalisadeError {
  return new PalisadeError('authentication_required', 'the name or the password is wrong', {
    next: 'try again, or ask an administrator',
  });
}

/**
 * Signs a person in with a password (AC-037). A name nobody has takes as long as one that somebody has. Raises `authentication_required`,
 * and `rate_limited` before anything is looked up (AC-036).
 */
export async function signIn(deps: SignInDeps, input: SignInInput): Promise<SignedIn> {
  const { name, password } = input;
  // What cannot be a name is one name to the throttle: nobody makes it remember long ones.
  const key = isName(name) ? nameKey(name) : '';
  deps.throttle.admit(key);
  const found = await deps.database.read(async (tx) => {
    const principal = await principalByName(tx, key);
    return { principal, hash: await passwordHash(tx, principal?.id ?? '') };
  });
  const isRight = await deps.hasher.verify(found.hash, password.slice(0, 4_096));
  const { principal, hash } = found;
  if (!isRight || principal === undefined) throw refused();
  return deps.database.write(async (tx) => {
    const now = await findPrincipal(tx, principal.id);
    // The password that was right may have been replaced, and the account disabled, while it was checked.
    if (now?.disabledAt !== null || (await passwordHash(tx, now.id)) !== hash) throw refused();
    return beginSession(tx, deps.cookies, now, { ...input, method: 'password' });
  });
}

/** Begins a session under a value of its own, and ends the one that the browser had (fixation). */
export async function beginSession(
  tx: WriteTx,
  cookies: SessionCookies,
  principal: Principal,
  how: Pick<SignInInput, 'previous' | 'requestId'> & { readonly method: 'password' | 'passkey' },
): Promise<SignedIn> {
  if (isSessionValue(how.previous)) {
    const former = await sessionByValue(tx, tokenHash(how.previous));
    if (former !== undefined && isLive(former, tx.now)) await revokeSession(tx, former.id);
  }
  const value = newSessionValue();
  const session = await insertSession(tx, newId('bses', tx.now), principal.id, tokenHash(value));
  const actor = actorOf(principal);
  const caller = {
    actor,
    kind: 'human',
    scopes: new Set(scopesOf(principal)),
    project: null,
    principal: principal.id,
    credential: session.id,
  } as const;
  const deed = { target: session.id, outcome: 'done', method: how.method } as const;
  await record(tx, { actor, caller, ...requestOf(how) }, 'browser', 'browser.signed_in', deed);
  return { actor: principalView(principal), csrf_token: csrfToken(value), cookie: cookies.holding(value) };
}

function requestOf({ requestId }: Pick<SignInInput, 'requestId'>): { requestId?: string } {
  return requestId === undefined ? {} : { requestId };
}

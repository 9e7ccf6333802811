import { type Caller, type CredentialClass, isPalisadeError } from '@palisade/contracts';
import type { Database, NearClock } from '@palisade/kernel';
import { actorOf, type Principal } from '../principals/principal.ts';
import { type Credential, isLive } from './credential.ts';
import { heldCredential, markUsed } from './credential-store.ts';
import { isToken, tokenHash } from './token.ts';

/** How exactly it is known when a credential was last presented, ms. */
const USED_MS = 60_000;

/** A caller that presented a token. */
export interface TokenCaller extends Caller {
  readonly class: CredentialClass;
}

/**
 * Whose token it is; null for one that is malformed, unknown, expired or revoked, or whose principal is disabled, and nothing tells
 * which. The database is asked at every call, so that a revocation bites at the next one (AC-056, EX-197).
 */
export async function authenticate(
  { database, clock }: { readonly database: Database; readonly clock: Pick<NearClock, 'now'> },
  token: string,
): Promise<TokenCaller | null> {
  if (!isToken(token)) return null;
  const now = await clock.now();
  const found = await database.read((tx) => heldCredential(tx, 'token_hash', tokenHash(token)));
  if (found === undefined) return null;
  const { credential, principal } = found;
  if (principal.disabledAt !== null || !isLive(credential, now)) return null;
  if ((credential.lastUsedAt ?? 0) <= now - USED_MS) await used(database, credential.id, now - USED_MS);
  return callerOf(principal, credential);
}

/** A control plane that cannot write now can still be read: when a credential was used is not worth refusing it. */
async function used(database: Database, id: string, since: number): Promise<void> {
  try {
    await database.write((tx) => markUsed(tx, id, since), { guarded: true, whilePaused: true });
  } catch (error) {
    if (!isPalisadeError(error, 'storage_full') && !isPalisadeError(error, 'database_busy')) throw error;
  }
}

function callerOf(principal: Principal, credential: Credential): TokenCaller {
  return {
    actor: actorOf(principal),
    kind: principal.kind,
    scopes: new Set(credential.scopes),
    project: credential.project,
    principal: principal.id,
    credential: credential.id,
    class: credential.class,
  };
}

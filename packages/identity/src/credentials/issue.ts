import { type IssuedCredential, newId, PalisadeError, type Scope } from '@palisade/contracts';
import type { WriteTx } from '@palisade/kernel';
import { type Principal, principalView } from '../principals/principal.ts';
import { type Credential, credentialView } from './credential.ts';
import { insertCredential } from './credential-store.ts';
import { tokenHash } from './token.ts';

/** Refuses whoever is no agent or service, or is disabled: people sign in. */
export function assertHoldsTokens({ name, kind, disabledAt }: Principal): void {
  if (kind === 'human')
    throw new PalisadeError('invalid_state', `${name} is a person, and people hold no tokens`, {
      next: 'create a service, or sign in',
    });
  if (disabledAt !== null)
    throw new PalisadeError('invalid_state', `${name} is disabled`, { next: `enable ${name} first` });
}

/** Keeps a new credential of a principal, of its token only the hash. Raises `invalid_input` when it would be expired already. */
export async function keepCredential(
  tx: WriteTx,
  principal: Principal,
  made: Pick<Credential, 'name' | 'class' | 'project' | 'expiresAt'> & { readonly scopes: readonly Scope[] },
  token: string,
): Promise<Pick<IssuedCredential, 'principal' | 'credential'>> {
  if (made.expiresAt !== null && made.expiresAt <= tx.now)
    throw new PalisadeError('invalid_input', 'the credential would be expired already', {
      next: 'choose a later expires_at, in milliseconds since the epoch',
    });
  const credential: Credential = {
    ...made,
    id: newId('crd', tx.now),
    principal: principal.id,
    createdAt: tx.now,
    revokedAt: null,
    hidden: false,
    lastUsedAt: null,
  };
  await insertCredential(tx, credential, tokenHash(token));
  return { principal: principalView(principal), credential: credentialView(credential, principal) };
}

/**
 * What the caller is told of what it was issued: the token when this call made it, otherwise that it cannot be told again (AC-030). A
 * dry run has neither.
 */
export function told(
  { executed, dryRun }: { readonly executed: boolean; readonly dryRun: boolean | undefined },
  token: string,
  credential: string,
): Pick<IssuedCredential, 'token' | 'secret_unavailable' | 'next'> {
  if (dryRun === true) return {};
  if (executed) return { token };
  return {
    secret_unavailable: true,
    next: `the token was told once; rotate ${credential} when it was not received`,
  };
}

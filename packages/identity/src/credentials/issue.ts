import { type IssuedCredential, newId, PalisadeError, type Scope } from '@palisade/contracts';
import type { WriteTx } from '@palisade/kernel';
import { type Principal, principalView } from '../principals/principal.ts';
import { existingProject } from '../projects/project-store.ts';
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

/** When a credential expires that is issued now; null: never. */
export function expiryOf(afterMs: number | null | undefined, now: number): number | null {
  return afterMs === null || afterMs === undefined ? null : now + afterMs;
}

/** Keeps a new credential of a principal, of its token only the hash. Raises `not_found` for a project that is not there. */
export async function keepCredential(
  tx: WriteTx,
  principal: Principal,
  made: Pick<Credential, 'name' | 'class' | 'project' | 'expiresAt'> & { readonly scopes: readonly Scope[] },
  token: string,
): Promise<Pick<IssuedCredential, 'principal' | 'credential'>> {
  if (made.project !== null) await existingProject(tx, made.project);
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

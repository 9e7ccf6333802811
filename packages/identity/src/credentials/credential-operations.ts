import {
  bindOperation,
  type BoundOperation,
  type CallContext,
  type CredentialView,
  hideCredential,
  issueCredential,
  listCredentials,
  PalisadeError,
  revokeCredential,
  rotateCredential,
} from '@palisade/contracts';
import type { Database, ReadTx } from '@palisade/kernel';
import type * as z from 'zod';
import { change } from '../callers/change.ts';
import { pageOf } from '../callers/page.ts';
import type { Principal } from '../principals/principal.ts';
import { existingPrincipal } from '../principals/principal-store.ts';
import { assertGrantable, type Credential, credentialView, isLive, rightsOf } from './credential.ts';
import {
  credentials,
  existingCredential,
  markHidden,
  markRevoked,
  newestCredential,
} from './credential-store.ts';
import { assertHoldsTokens, keepCredential, told, expiryOf } from './issue.ts';
import { newToken } from './token.ts';

/** The operations on credentials of agents and services (AC-050…AC-053, AO-169…AO-173). */
export function credentialOperations(database: Database): BoundOperation[] {
  return [
    bindOperation(issueCredential, (input, context) => issue(database, input, context)),
    bindOperation(rotateCredential, (input, context) => rotate(database, input, context)),
    bindOperation(revokeCredential, async ({ credential: id, dry_run: dryRun }, context) => {
      const made = { operation: revokeCredential, action: 'credential.revoked', target: id } as const;
      const how = { ...made, request: { id }, dryRun, whilePaused: true };
      const { answer } = await change(database, context, how, async (tx) => {
        const before = await existingCredential(tx, id);
        const revoked = await markRevoked(tx, id);
        return {
          answer: await viewOf(tx, revoked ? { ...before, revokedAt: tx.now } : before),
          target: revoked ? id : null,
        };
      });
      return answer;
    }),
    bindOperation(hideCredential, async ({ credential: id, dry_run: dryRun }, context) => {
      const made = { operation: hideCredential, action: 'credential.hidden', target: id } as const;
      const how = { ...made, request: { id }, dryRun, whilePaused: true };
      const { answer } = await change(database, context, how, async (tx) => {
        const before = await existingCredential(tx, id);
        if (before.revokedAt === null)
          throw new PalisadeError('credential_not_revoked', `the credential ${before.name} still works`, {
            next: `revoke ${id} first`,
          });
        const hidden = await markHidden(tx, id);
        return { answer: await viewOf(tx, { ...before, hidden: true }), target: hidden ? id : null };
      });
      return answer;
    }),
    bindOperation(listCredentials, ({ principal, hidden = false, ...page }) =>
      database.read(async (tx) => {
        const names = new Map<string, Principal>();
        const read = async ({
          after,
          limit,
        }: {
          readonly after: string | undefined;
          readonly limit: number;
        }) => {
          const found = await credentials(tx, { principal, hidden, after, limit });
          for (const id of new Set(found.map((one) => one.principal)))
            names.set(id, await existingPrincipal(tx, id));
          return found;
        };
        return pageOf(page, read, (one) => credentialView(one, names.get(one.principal) ?? { name: '' }));
      }),
    ),
  ];
}

async function issue(
  database: Database,
  input: z.output<(typeof issueCredential)['input']>,
  context: CallContext,
): Promise<z.output<(typeof issueCredential)['output']>> {
  const { dry_run: dryRun, ...request } = input;
  const token = newToken();
  const made = { operation: issueCredential, action: 'credential.issued', target: input.principal } as const;
  const { answer, executed } = await change(database, context, { ...made, request, dryRun }, async (tx) => {
    const principal = await existingPrincipal(tx, input.principal);
    assertHoldsTokens(principal);
    const rights = rightsOf(input, await newestCredential(tx, principal.id));
    assertGrantable(context.caller, principal, rights);
    const kept = { ...rights, name: input.name, expiresAt: expiryOf(input.expires_in_ms, tx.now) };
    const issued = await keepCredential(tx, principal, kept, token);
    return { answer: issued, target: issued.credential.id };
  });
  return { ...answer, ...told({ executed, dryRun }, token, answer.credential.id) };
}

/** A new credential of the same principal with the same rights: nothing passes to it that the old one holds (AC-052). */
async function rotate(
  database: Database,
  input: z.output<(typeof rotateCredential)['input']>,
  context: CallContext,
): Promise<z.output<(typeof rotateCredential)['output']>> {
  const { dry_run: dryRun, ...request } = input;
  const token = newToken();
  const made = {
    operation: rotateCredential,
    action: 'credential.rotated',
    target: input.credential,
  } as const;
  const { answer, executed } = await change(database, context, { ...made, request, dryRun }, async (tx) => {
    const old = await existingCredential(tx, input.credential);
    const principal = await existingPrincipal(tx, old.principal);
    assertHoldsTokens(principal);
    if (!isLive(old, tx.now))
      throw new PalisadeError('invalid_state', `the credential ${old.name} is revoked or expired`, {
        next: `issue another credential to ${principal.name}`,
      });
    assertGrantable(context.caller, principal, old);
    const kept = {
      ...rightsOf({}, old),
      name: input.name,
      expiresAt: lifeOf(input.expires_in_ms, old, tx.now),
    };
    const issued = await keepCredential(tx, principal, kept, token);
    const revoked = input.revoke_old !== false && (await markRevoked(tx, old.id));
    return {
      answer: { ...issued, replaced_credential_id: old.id, replaced_credential_revoked: revoked },
      target: issued.credential.id,
      replaces: old.id,
    };
  });
  return { ...answer, ...told({ executed, dryRun }, token, answer.credential.id) };
}

/** When a rotated credential expires: as said, or after as long as the old one was to live. */
function lifeOf(asked: number | null | undefined, old: Credential, now: number): number | null {
  if (asked !== undefined) return expiryOf(asked, now);
  return old.expiresAt === null ? null : now + (old.expiresAt - old.createdAt);
}

async function viewOf(tx: ReadTx, credential: Credential): Promise<CredentialView> {
  return credentialView(credential, await existingPrincipal(tx, credential.principal));
}

import {
  bindOperation,
  type BoundOperation,
  type CallContext,
  createPrincipal,
  listPrincipals,
  newId,
  PalisadeError,
  setPrincipalAccess,
} from '@palisade/contracts';
import type { Database } from '@palisade/kernel';
import type * as z from 'zod';
import { change } from '../callers/change.ts';
import { pageOf } from '../callers/page.ts';
import { assertGrantable, rightsOf } from '../credentials/credential.ts';
import { keepCredential, told, expiryOf } from '../credentials/issue.ts';
import { newToken } from '../credentials/token.ts';
import { assertRevision, principalView } from './principal.ts';
import { existingPrincipal, insertPrincipal, principals, updateAccess } from './principal-store.ts';

/** The operations on principals that are no people (AC-051, AO-169). */
export function principalOperations(database: Database): BoundOperation[] {
  return [
    bindOperation(createPrincipal, (input, context) => create(database, input, context)),
    bindOperation(listPrincipals, ({ kind, ...page }) =>
      database.read((tx) => pageOf(page, (asked) => principals(tx, { kind, ...asked }), principalView)),
    ),
    bindOperation(setPrincipalAccess, async ({ dry_run: dryRun, ...request }, context) => {
      const { principal: id, enabled } = request;
      const made = { operation: setPrincipalAccess, action: 'principal.access_set', target: id } as const;
      const how = { ...made, request, dryRun, whilePaused: !enabled };
      const { answer } = await change(database, context, how, async (tx) => {
        const principal = await existingPrincipal(tx, id);
        if (principal.kind === 'human')
          throw new PalisadeError('invalid_state', `${principal.name} is a person`, {
            next: 'set the access of the operator',
          });
        assertRevision(principal, request.expected_revision);
        const after = await updateAccess(tx, principal, { role: null, enabled });
        return { answer: principalView(after), target: id };
      });
      return answer;
    }),
  ];
}

async function create(
  database: Database,
  input: z.output<(typeof createPrincipal)['input']>,
  context: CallContext,
): Promise<z.output<(typeof createPrincipal)['output']>> {
  const { dry_run: dryRun, ...request } = input;
  const { name, kind, credential = 'first' } = request;
  const token = newToken();
  const made = { operation: createPrincipal, action: 'principal.created', target: 'new' } as const;
  const { answer, executed } = await change(database, context, { ...made, request, dryRun }, async (tx) => {
    const rights = rightsOf(input);
    assertGrantable(context.caller, { kind, role: null }, rights);
    const principal = await insertPrincipal(tx, { id: newId('prn', tx.now), name, kind, role: null });
    const kept = { ...rights, name: credential, expiresAt: expiryOf(input.expires_in_ms, tx.now) };
    const issued = await keepCredential(tx, principal, kept, token);
    return { answer: issued, target: principal.id };
  });
  return { ...answer, ...told({ executed, dryRun }, token, answer.credential.id) };
}

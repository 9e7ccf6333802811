import {
  bindOperation,
  type BoundOperation,
  type CallContext,
  changePassword,
  getAccount,
  PalisadeError,
} from '@palisade/contracts';
import type * as z from 'zod';
import { record } from '../audit/record.ts';
import { revokeSessionsOf } from '../browser/browser-session-store.ts';
import { recheck } from '../callers/recheck.ts';
import { voidLink } from '../email/link-store.ts';
import { accountView } from '../email/verification.ts';
import { passwordHash, putPassword } from '../passwords/password-store.ts';
import { assertRevision, nameKey } from '../principals/principal.ts';
import { existingOperator, existingPrincipal, updateAccess } from '../principals/principal-store.ts';
import type { SessionCookies } from '../browser/session-cookie.ts';
import type { PeopleDeps } from './people-deps.ts';

interface AccountDeps extends PeopleDeps {
  readonly cookies: SessionCookies;
}

/** The operations of people on their own account (AC-039, AC-043). */
export function accountOperations(deps: AccountDeps): BoundOperation[] {
  return [
    bindOperation(getAccount, async (_, { caller }) => {
      const { principal } = caller;
      if (principal === null)
        throw new PalisadeError('not_found', 'whoever holds the files of the control plane has no account', {
          next: 'sign in',
        });
      return deps.database.read(async (tx) => accountView(deps, tx, await existingPrincipal(tx, principal)));
    }),
    bindOperation(changePassword, async (input, context) => {
      const answer = await change(deps, input, context);
      context.browser?.setCookie(deps.cookies.cleared);
      return answer;
    }),
  ];
}

/**
 * Both passwords are hashed outside of the unit of work; inside it session, revision and former hash are looked at again. There is no
 * receipt: a lost answer is resolved by signing in (AC-043).
 */
async function change(
  { database, hasher, throttle }: PeopleDeps,
  input: z.output<(typeof changePassword)['input']>,
  context: CallContext,
): Promise<z.output<(typeof changePassword)['output']>> {
  const { caller } = context;
  const id = caller.principal ?? '';
  if (caller.kind !== 'human' || caller.credential?.startsWith('bses_') !== true)
    throw new PalisadeError(
      'operation_not_permitted',
      'only a person who signed in has a password to change',
      {
        next: 'sign in first, or recover the password on the host',
      },
    );
  const { person, hash } = await database.read(async (tx) => ({
    person: await existingOperator(tx, id),
    hash: await passwordHash(tx, id),
  }));
  assertRevision(person, input.expected_revision);
  throttle.admit(nameKey(person.name));
  if (!(await hasher.verify(hash, input.current_password)))
    throw new PalisadeError('invalid_input', 'the current password is wrong', {
      issues: [{ path: 'current_password', message: 'is not the current password' }],
      next: 'try again, or ask for a recovery on the host',
    });
  const next = await hasher.hash(input.new_password);
  return database.write(async (tx) => {
    const as = await recheck(tx, caller);
    const now = await existingOperator(tx, id);
    assertRevision(now, input.expected_revision);
    if ((await passwordHash(tx, id)) !== hash)
      throw new PalisadeError('stale_revision', 'the password was changed meanwhile', {
        next: 'sign in again',
      });
    await putPassword(tx, id, next);
    const after = await updateAccess(tx, now, { role: now.role, enabled: true });
    await revokeSessionsOf(tx, id);
    await voidLink(tx, id, 'reset');
    await record(tx, context, as, 'operator.password_changed', { target: id, outcome: 'done' });
    return { revision: after.revision, signed_out: true };
  });
}

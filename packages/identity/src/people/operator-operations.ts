import {
  type AccountView,
  bindOperation,
  type BoundOperation,
  type CallContext,
  createOperator,
  getOperator,
  listOperators,
  newId,
  PalisadeError,
  setOperatorAccess,
} from '@palisade/contracts';
import { answerBefore, receiptOf } from '@palisade/kernel';
import type * as z from 'zod';
import { revokeSessionsOf } from '../browser/browser-session-store.ts';
import { change } from '../callers/change.ts';
import { pageOf } from '../callers/page.ts';
import { recheck } from '../callers/recheck.ts';
import { putEmail } from '../email/email-store.ts';
import { issueLink, newLinkToken, voidLink } from '../email/link-store.ts';
import { accountView, sendVerification } from '../email/verification.ts';
import { passwordHash, putPassword } from '../passwords/password-store.ts';
import { assertPerson, assertRevision, nameKey, principalView } from '../principals/principal.ts';
import {
  countActiveAdmins,
  existingOperator,
  insertPrincipal,
  principals,
  updateAccess,
} from '../principals/principal-store.ts';
import type { PeopleDeps } from './people-deps.ts';

/** The operations on accounts of people (AC-040…AC-042, AO-157…AO-159). */
export function operatorOperations(deps: PeopleDeps): BoundOperation[] {
  const { database } = deps;
  return [
    bindOperation(createOperator, (input, context) => create(deps, input, context)),
    bindOperation(listOperators, (page) =>
      database.read((tx) =>
        pageOf(page, (asked) => principals(tx, { kind: 'human', ...asked }), principalView),
      ),
    ),
    bindOperation(getOperator, ({ operator }) =>
      database.read(async (tx) => accountView(deps, tx, await existingOperator(tx, operator))),
    ),
    bindOperation(setOperatorAccess, async ({ dry_run: dryRun, ...request }, context) => {
      const { operator: id, role, enabled } = request;
      const made = { operation: setOperatorAccess, action: 'operator.access_set', target: id } as const;
      const how = { ...made, request, dryRun, whilePaused: !enabled };
      const { answer } = await change(database, context, how, async (tx) => {
        assertPerson(context.caller);
        const before = await existingOperator(tx, id);
        assertRevision(before, request.expected_revision);
        const wasAdmin = before.role === 'admin' && before.disabledAt === null;
        if (wasAdmin && !(enabled && role === 'admin') && (await countActiveAdmins(tx)) < 2)
          throw new PalisadeError('last_active_admin', `${before.name} is the last who can administer`, {
            next: 'make somebody else an administrator first',
          });
        const after = await updateAccess(tx, before, { role, enabled });
        await revokeSessionsOf(tx, id);
        if (!enabled) await voidLink(tx, id, 'reset');
        return { answer: principalView(after), target: id };
      });
      return answer;
    }),
  ];
}

/**
 * Creates an account. The password is hashed outside of the unit of work, and is in no receipt: whoever repeats the call proves that
 * they know it, and is told the account as it is now (AC-041).
 */
async function create(
  deps: PeopleDeps,
  input: z.output<(typeof createOperator)['input']>,
  context: CallContext,
): Promise<AccountView> {
  const { database, hasher } = deps;
  const { password, dry_run: dryRun, ...request } = input;
  const { name, role, email } = request;
  if (dryRun !== true) {
    const receipt = receiptOf({ ...context, project: '' }, createOperator.id);
    const before = await database.write(async (tx) => {
      await recheck(tx, context.caller);
      return answerBefore<AccountView>(tx, receipt, request);
    });
    if (before !== null) return repeated(deps, before, password, context);
  }
  const link = newLinkToken();
  const hash = dryRun === true ? '' : await hasher.hash(password);
  const made = { operation: createOperator, action: 'operator.created', target: 'new' } as const;
  const { answer, executed } = await change(database, context, { ...made, request, dryRun }, async (tx) => {
    assertPerson(context.caller);
    const person = await insertPrincipal(tx, { id: newId('prn', tx.now), name, kind: 'human', role });
    await putPassword(tx, person.id, hash);
    if (email !== undefined) {
      await putEmail(tx, person.id, email);
      await issueLink(tx, person.id, 'verify', link);
    }
    return { answer: await accountView(deps, tx, person), target: person.id };
  });
  if (dryRun === true) return answer;
  if (!executed) return repeated(deps, answer, password, context);
  if (email === undefined) return answer;
  await sendVerification(deps, answer, email, link);
  return database.read(async (tx) => accountView(deps, tx, await existingOperator(tx, answer.id)));
}

async function repeated(
  deps: PeopleDeps,
  { id, name }: AccountView,
  password: string,
  { caller }: CallContext,
): Promise<AccountView> {
  const { database, hasher, throttle } = deps;
  throttle.admit(nameKey(name));
  const hash = await database.read((tx) => passwordHash(tx, id));
  const isSame = await hasher.verify(hash, password);
  return database.write(async (tx) => {
    await recheck(tx, caller);
    if (!isSame || (await passwordHash(tx, id)) !== hash)
      throw new PalisadeError(
        'idempotency_secret_mismatch',
        'the idempotency key was used with another password',
        {
          why: 'or the password has been changed since',
          next: 'read the account, or use a new key',
        },
      );
    return accountView(deps, tx, await existingOperator(tx, id));
  });
}

import {
  hostCaller,
  Name,
  NewPassword,
  newId,
  PalisadeError,
  parseInput,
  type PrincipalView,
} from '@palisade/contracts';
import type { ReadTx } from '@palisade/kernel';
import * as z from 'zod';
import { record } from '../audit/record.ts';
import { revokeSessionsOf } from '../browser/browser-session-store.ts';
import { voidLink } from '../email/link-store.ts';
import { putPassword } from '../passwords/password-store.ts';
import { type Principal, principalView } from '../principals/principal.ts';
import { insertPrincipal, principalByName, principals, updateAccess } from '../principals/principal-store.ts';
import type { PeopleDeps } from './people-deps.ts';

const ACTOR = 'system:host';
/** Whoever holds the control plane's own files, as audit records name them. */
export const HOST = { actor: ACTOR, caller: hostCaller(ACTOR) };

const Admin = z.strictObject({ name: Name, password: NewPassword });
const Recovery = z.strictObject({
  name: Name,
  password: NewPassword,
  reason: z.string().trim().min(1).max(500),
});

/**
 * Makes the first administrator (AC-034, AO-175), by a command on the host. Raises `already_exists` where there is a
 * person already: of two processes at once, one wins. Agents and services that the host made before are none, and administer no people.
 */
export async function initAdmin(
  { database, hasher }: Pick<PeopleDeps, 'database' | 'hasher'>,
  input: { readonly name: string; readonly password: string },
): Promise<PrincipalView> {
  const { name, password } = parseInput(Admin, input, 'the first administrator');
  await database.read(assertNobody);
  const hash = await hasher.hash(password);
  return database.write(async (tx) => {
    await assertNobody(tx);
    const admin = await insertPrincipal(tx, { id: newId('prn', tx.now), name, kind: 'human', role: 'admin' });
    await putPassword(tx, admin.id, hash);
    await record(tx, HOST, null, 'operator.created', { target: admin.id, outcome: 'done' });
    return principalView(admin);
  });
}

/** Whether a person has an account: then nobody is made an administrator on the host any more. */
export async function hasPeople(tx: ReadTx): Promise<boolean> {
  return (await principals(tx, { kind: 'human', limit: 1 })).length > 0;
}

async function assertNobody(tx: ReadTx): Promise<void> {
  if (!(await hasPeople(tx))) return;
  throw new PalisadeError('already_exists', 'the installation has an account of a person already', {
    next: 'sign in as an administrator, or recover a password on this host',
  });
}

/**
 * Gives a person a new password by a command on the host (AC-049, AO-177): enables the account and ends its browser sessions, and
 * changes nothing else. The reason is kept in the audit record. Raises `not_found`.
 */
export async function recoverPassword(
  { database, hasher }: Pick<PeopleDeps, 'database' | 'hasher'>,
  input: { readonly name: string; readonly password: string; readonly reason: string },
): Promise<PrincipalView> {
  const { name, password, reason } = parseInput(Recovery, input, 'the recovery');
  if (reason.includes(password))
    throw new PalisadeError('invalid_input', 'the reason holds the password', {
      next: 'give a reason that can be kept',
    });
  await database.read((tx) => personNamed(tx, name));
  const hash = await hasher.hash(password);
  return database.write(async (tx) => {
    const person = await personNamed(tx, name);
    await putPassword(tx, person.id, hash);
    const after = await updateAccess(tx, person, { role: person.role, enabled: true });
    await revokeSessionsOf(tx, person.id);
    await voidLink(tx, person.id, 'reset');
    await record(tx, HOST, null, 'operator.password_recovered', {
      target: person.id,
      outcome: 'done',
      initiator_kind: 'host_operator',
      reason,
    });
    return principalView(after);
  });
}

async function personNamed(tx: ReadTx, name: string): Promise<Principal> {
  const found = await principalByName(tx, name);
  if (found?.kind === 'human') return found;
  throw new PalisadeError('not_found', `no person is called ${name}`, { next: 'check the name' });
}

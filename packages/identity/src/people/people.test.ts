import {
  AUDIT_STREAM,
  changePassword,
  createOperator,
  createPrincipal,
  getAccount,
  getOperator,
  listOperators,
  setOperatorAccess,
} from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import { identityRig, PASSWORD } from '../../test/identity-rig.ts';

const OTHER = 'staple of another kind';

eachDatabase('people', (open) => {
  it('AC-034: the first administrator is made on an empty installation, by one of two processes at once', async () => {
    const [one, other] = [await identityRig(open), await identityRig(open)];
    const outcomes = await Promise.allSettled([
      one.room.initAdmin({ name: 'ada', password: PASSWORD }),
      other.room.initAdmin({ name: 'bob', password: PASSWORD }),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'already_exists', next: expect.stringContaining('recover') },
    });
    const { data } = await one.call(listOperators, {});
    expect(data).toMatchObject([{ kind: 'human', role: 'admin', enabled: true }]);
    await expect(one.room.initAdmin({ name: 'eve', password: PASSWORD })).rejects.toMatchObject({
      code: 'already_exists',
    });
    expect((await one.audit()).map(({ action }) => action)).toEqual(['operator.created']);
  });

  it('AC-034: whoever the host made before is no person, and nothing but a person administers people', async () => {
    const { call, callerWith, room, audit } = await identityRig(open);
    const bot = await call(createPrincipal, {
      name: 'bot',
      kind: 'service',
      scopes: ['read', 'write', 'approve', 'provision', 'system'],
    });
    const input = { name: 'ada', role: 'admin', password: PASSWORD } as const;
    await expect(call(createOperator, input, await callerWith(bot.token))).rejects.toMatchObject({
      code: 'operation_not_permitted',
      next: 'ask an administrator',
    });
    expect((await call(listOperators, {})).data).toEqual([]);
    // What was to be made is not told: a name is what somebody typed.
    expect((await audit()).at(-1)).toEqual({
      action: 'operator.created',
      target: 'new',
      outcome: 'refused',
      actor: 'service:bot',
    });
    await room.initAdmin({ name: 'ada', password: PASSWORD });
    expect((await call(listOperators, {})).data).toMatchObject([{ name: 'ada', role: 'admin' }]);
  });

  it('AC-035: passwords have 12 to 1024 bytes, and the refusal does not repeat them', async () => {
    const { room } = await identityRig(open);
    for (const password of ['elevenbytes', 'x'.repeat(1_025), 'ü'.repeat(513), `${PASSWORD}\ud800`])
      await expect(room.initAdmin({ name: 'ada', password })).rejects.toSatisfy(
        (error: Error & { code: string }) =>
          error.code === 'invalid_input' &&
          !JSON.stringify([error.message, error]).includes(password.slice(0, 11)),
      );
    expect(await room.initAdmin({ name: 'ada', password: 'ü'.repeat(6) })).toMatchObject({ name: 'ada' });
  });

  it('AC-041, AC-031: a repeated creation must bring the password, and tells the account as it is now', async () => {
    const { call, adminCaller, sessionOf } = await identityRig(open);
    const admin = await adminCaller();
    const input = { name: 'bob', role: 'operator', password: OTHER } as const;
    const made = await call(createOperator, input, admin, { idempotencyKey: 'k' });
    expect(made).toMatchObject({ name: 'bob', role: 'operator', revision: 1 });
    await expect(
      call(createOperator, { ...input, password: PASSWORD }, admin, { idempotencyKey: 'k' }),
    ).rejects.toMatchObject({ code: 'idempotency_secret_mismatch', next: expect.any(String) });
    await expect(
      call(createOperator, { ...input, role: 'admin' }, admin, { idempotencyKey: 'k' }),
    ).rejects.toMatchObject({ code: 'idempotency_mismatch' });
    const access = { operator: made.id, expected_revision: 1, role: 'operator', enabled: false } as const;
    await call(setOperatorAccess, access, admin);
    // Signed in anew, it is still the same administrator.
    const later = await sessionOf('ada');
    expect(await call(createOperator, input, later, { idempotencyKey: 'k' })).toMatchObject({
      id: made.id,
      enabled: false,
      revision: 2,
    });
    expect((await call(listOperators, {}, later)).data).toHaveLength(2);
    await expect(call(createOperator, { ...input, name: 'BOB' }, later)).rejects.toMatchObject({
      code: 'already_exists',
    });
    expect(await call(createOperator, { ...input, name: 'cyd', dry_run: true }, later)).toMatchObject({
      name: 'cyd',
    });
    expect((await call(listOperators, {}, later)).data).toHaveLength(2);
  });

  it('AC-042: access is set on the revision that was read, and ends the browser sessions', async () => {
    const { call, adminCaller, room, signIn } = await identityRig(open);
    const admin = await adminCaller();
    const bob = await call(createOperator, { name: 'bob', role: 'operator', password: OTHER }, admin);
    const { value } = (await signIn('bob', OTHER)).cookie;
    expect([...((await room.authenticateSession(value))?.scopes ?? [])]).toEqual([
      'read',
      'write',
      'approve',
      'provision',
    ]);
    const access = { operator: bob.id, expected_revision: 1, role: 'admin', enabled: true } as const;
    expect(await call(setOperatorAccess, access, admin)).toMatchObject({ role: 'admin', revision: 2 });
    expect(await room.authenticateSession(value)).toBeNull();
    await expect(call(setOperatorAccess, access, admin)).rejects.toMatchObject({ code: 'stale_revision' });
    expect((await signIn('BOB', OTHER)).actor).toMatchObject({ name: 'bob', role: 'admin' });
    expect(await call(getOperator, { operator: bob.id }, admin)).toMatchObject({ role: 'admin' });
  });

  it('AC-042: the last administrator stays, also when two are demoted at once', async () => {
    const [here, there] = [await identityRig(open), await identityRig(open)];
    const admin = await here.adminCaller();
    const own = {
      operator: admin.principal ?? '',
      expected_revision: 1,
      role: 'operator',
      enabled: true,
    } as const;
    const lastOne = { code: 'last_active_admin', next: expect.any(String) };
    await expect(here.call(setOperatorAccess, own, admin)).rejects.toMatchObject(lastOne);
    await expect(
      here.call(setOperatorAccess, { ...own, role: 'admin', enabled: false }, admin),
    ).rejects.toMatchObject(lastOne);
    const bob = await here.call(createOperator, { name: 'bob', role: 'admin', password: OTHER }, admin);
    const outcomes = await Promise.allSettled([
      here.call(setOperatorAccess, own),
      there.call(setOperatorAccess, { ...own, operator: bob.id }),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: lastOne });
    const { data } = await here.call(listOperators, {});
    expect(data.filter(({ role }) => role === 'admin')).toHaveLength(1);
    const records = (await here.audit()).filter(({ action }) => action === 'operator.access_set');
    expect(records.map(({ outcome }) => outcome).sort()).toEqual(['done', 'refused', 'refused', 'refused']);
  });

  it('AC-043: a person changes their own password under the lock, which ends every session of theirs', async () => {
    const { call, adminCaller, room, signIn, database, monotonic } = await identityRig(open);
    const admin = await adminCaller();
    const elsewhere = (await signIn('ada', PASSWORD)).cookie.value;
    const input = { current_password: PASSWORD, new_password: OTHER, expected_revision: 1 };
    await expect(call(changePassword, { ...input, current_password: 'wrong' }, admin)).rejects.toMatchObject({
      code: 'invalid_input',
      issues: [{ path: 'current_password' }],
    });
    await expect(call(changePassword, { ...input, expected_revision: 2 }, admin)).rejects.toMatchObject({
      code: 'stale_revision',
    });
    // Of two at once, one finds the revision or its session gone.
    const outcomes = await Promise.allSettled([
      call(changePassword, input, admin),
      call(changePassword, input, admin),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(outcomes.find(({ status }) => status === 'fulfilled')).toMatchObject({
      value: { revision: 2, signed_out: true },
    });
    expect(await room.authenticateSession(elsewhere)).toBeNull();
    monotonic.now += 60_000;
    await expect(database.write((tx) => room.recheck(tx, admin))).rejects.toMatchObject({
      code: 'authentication_required',
    });
    await expect(signIn('ada', PASSWORD)).rejects.toMatchObject({ code: 'authentication_required' });
    expect(await signIn('ada', OTHER)).toMatchObject({ actor: { name: 'ada', revision: 2 } });
  });

  it('AC-043: who did not sign in has no password to change', async () => {
    const { call, callerWith } = await identityRig(open);
    const made = await call(createPrincipal, { name: 'ci', kind: 'agent' });
    const agent = await callerWith(made.token);
    const input = { current_password: PASSWORD, new_password: OTHER, expected_revision: 1 };
    for (const caller of [agent, undefined])
      await expect(call(changePassword, input, caller)).rejects.toMatchObject({
        code: 'operation_not_permitted',
      });
    expect(await call(getAccount, {}, agent)).toMatchObject({ name: 'ci', kind: 'agent' });
    await expect(call(getAccount, {})).rejects.toMatchObject({ code: 'not_found' });
  });

  it('AC-049: a password recovered on the host enables the account, ends its sessions, and names nobody as its doer', async () => {
    const { call, adminCaller, room, signIn, database } = await identityRig(open);
    const admin = await adminCaller();
    const bob = await call(createOperator, { name: 'bob', role: 'operator', password: PASSWORD }, admin);
    const { value } = (await signIn('bob', PASSWORD)).cookie;
    const access = { operator: bob.id, expected_revision: 1, role: 'operator', enabled: false } as const;
    await call(setOperatorAccess, access, admin);
    const recovery = { name: 'bob', password: OTHER, reason: 'forgot it' };
    await expect(room.recoverPassword({ ...recovery, name: 'eve' })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(room.recoverPassword({ ...recovery, reason: `it is ${OTHER}` })).rejects.toMatchObject({
      code: 'invalid_input',
    });
    expect(await room.recoverPassword(recovery)).toMatchObject({
      enabled: true,
      revision: 3,
      role: 'operator',
    });
    expect(await room.authenticateSession(value)).toBeNull();
    expect(await signIn('bob', OTHER)).toMatchObject({ actor: { name: 'bob' } });
    const events = await database.read((tx) => tx.journal.read(AUDIT_STREAM, -1, 100));
    expect(events.find(({ type }) => type === 'operator.password_recovered')?.data).toEqual({
      actor: 'system:host',
      principal: null,
      credential: null,
      class: null,
      target: bob.id,
      outcome: 'done',
      initiator_kind: 'host_operator',
      reason: 'forgot it',
    });
  });
});

import {
  assertMay,
  bindOperation,
  closeHarnessSession,
  getHarnessSession,
  listCredentials,
  listHarnessSessions,
  registerHarnessSession,
  revokeCredential,
  rotateCredential,
  setPrincipalAccess,
} from '@palisade/contracts';
import { answerOnce, receiptOf } from '@palisade/kernel';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import { newSession, sessionRig } from '../../test/session-rig.ts';

const REFUSED = { code: 'authentication_required' };

eachDatabase('harness sessions', (open) => {
  it('AC-057: a session is registered once, however often its client asks again, and its proof is kept nowhere', async () => {
    const { agent, register, database, audit } = await sessionRig(open);
    const { caller, principal, credential } = await agent('ci');
    const made = newSession();
    const first = await register(caller, made, {}, 'k');
    expect(first).toMatchObject({
      session_id: made.session,
      principal,
      credential,
      launch: made.session,
      capabilities: ['bash'],
    });
    expect(await register(caller, made, {}, 'k')).toEqual(first);
    expect(await register(caller, made, {}, 'another key')).toEqual(first);
    const kept = await database.read(async (tx) => [
      await tx.sql.all('SELECT * FROM harness_sessions'),
      await tx.sql.all('SELECT * FROM kernel_receipts'),
      await tx.sql.all('SELECT * FROM kernel_events'),
    ]);
    expect(JSON.stringify(kept)).not.toContain(made.proof);
    expect((await audit()).filter(({ action }) => action === 'harness_session.registered')).toHaveLength(1);
  });

  it('AC-057: many registrations of one session at once make one, and of different ones under one id one is made', async () => {
    const { agent, register, database } = await sessionRig(open);
    const { caller } = await agent('ci');
    const made = newSession();
    const same = await Promise.all(Array.from({ length: 6 }, () => register(caller, made)));
    expect(new Set(same.map((each) => JSON.stringify(each))).size).toBe(1);
    const { session } = newSession();
    const others = await Promise.allSettled(
      Array.from({ length: 6 }, () => register(caller, { session, proof: newSession().proof })),
    );
    expect(others.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const rows = await database.read((tx) => tx.sql.all('SELECT id FROM harness_sessions'));
    expect(rows).toHaveLength(2);
  });

  it('AC-057: whatever differs is refused under an id that is taken, and nothing changes', async () => {
    const { agent, another, register, call } = await sessionRig(open);
    const { caller, principal } = await agent('ci');
    const stranger = await agent('stranger');
    const made = newSession();
    const first = await register(caller, made, {}, 'k');
    const taken = { code: 'already_exists' };
    await expect(register(caller, made, { harness: 'codex' })).rejects.toMatchObject(taken);
    await expect(register(caller, made, { workstation_id: 'tower' })).rejects.toMatchObject(taken);
    await expect(register(caller, made, { capabilities: [] })).rejects.toMatchObject(taken);
    await expect(register(await another(principal), made)).rejects.toMatchObject(taken);
    await expect(register(stranger.caller, made)).rejects.toMatchObject(taken);
    const other = { session: made.session, proof: newSession().proof };
    await expect(register(caller, other)).rejects.toMatchObject(taken);
    // Nor does the key of the first call tell its answer to whoever has another proof.
    await expect(register(caller, other, {}, 'k')).rejects.toMatchObject({ code: 'idempotency_mismatch' });
    expect(await call(getHarnessSession, { session: made.session }, caller)).toEqual(first);
  });

  it('AC-058: a caller is bound by the proof and the very credential that registered the session, and by nothing less', async () => {
    const { agent, another, register, room } = await sessionRig(open);
    const { caller, principal } = await agent('ci');
    const stranger = await agent('stranger');
    const [made, beside] = [newSession(), newSession()];
    await register(caller, made);
    await register(caller, beside);
    expect(await room.bindSession(caller, made)).toEqual({
      ...caller,
      session: made.session,
      launch: made.session,
    });
    const last = made.proof.at(-1) === '0' ? '1' : '0';
    for (const [as, presented] of [
      [caller, { ...made, proof: beside.proof }],
      [caller, { ...made, proof: made.proof.slice(0, -1) + last }],
      [caller, { ...made, proof: made.proof.toUpperCase() }],
      [caller, { ...made, proof: `${made.proof}00` }],
      [caller, { ...made, proof: '' }],
      [caller, { proof: made.proof }],
      [caller, { ...made, session: newSession().session }],
      [await another(principal), made],
      [stranger.caller, made],
    ] as const)
      expect(await room.bindSession(as, presented)).toBeNull();
  });

  it('AC-059: a closed session is closed for ever, can be looked at, and is of no other use', async () => {
    const { agent, register, room, call } = await sessionRig(open);
    const { caller } = await agent('ci');
    const made = newSession();
    await register(caller, made, {}, 'k');
    const close = () => call(closeHarnessSession, { session: made.session }, caller, { presented: made });
    const closed = await close();
    expect(closed.closed_at).toBeGreaterThan(0);
    // An answer that was lost is given again.
    expect(await close()).toEqual(closed);
    expect(await call(getHarnessSession, { session: made.session }, caller)).toEqual(closed);
    expect(await room.bindSession(caller, made)).toBeNull();
    for (const key of ['k', 'new'])
      await expect(register(caller, made, {}, key)).rejects.toMatchObject({ code: 'session_closed' });
    await expect(register(caller, { ...made, proof: newSession().proof })).rejects.toMatchObject({
      code: 'session_closed',
    });
    expect(await call(listHarnessSessions, { active_within_hours: 0 }, caller)).toMatchObject({ data: [] });
  });

  it('AC-059: only whoever has its proof closes a session, or an administrator', async () => {
    const { agent, another, register, call, adminCaller } = await sessionRig(open);
    const admin = await adminCaller();
    const { caller, principal } = await agent('ci');
    const [made, beside] = [newSession(), newSession()];
    await register(caller, made);
    await register(caller, beside);
    const close = (as: typeof caller, presented?: object) =>
      call(
        closeHarnessSession,
        { session: made.session },
        as,
        presented === undefined ? {} : ({ presented } as never),
      );
    await expect(close(caller)).rejects.toMatchObject(REFUSED);
    await expect(close(caller, beside)).rejects.toMatchObject(REFUSED);
    await expect(close(caller, { ...made, proof: beside.proof })).rejects.toMatchObject(REFUSED);
    await expect(close(await another(principal), made)).rejects.toMatchObject(REFUSED);
    expect(await call(getHarnessSession, { session: made.session }, caller)).not.toHaveProperty('closed_at');
    expect(await close(admin)).toHaveProperty('closed_at');
  });

  it('AC-056: a session that is closed after its call was let in changes nothing, and a key of one is not another one’s', async () => {
    const { agent, register, room, call, database } = await sessionRig(open);
    const { caller } = await agent('ci');
    const [made, next] = [newSession(), newSession()];
    await register(caller, made);
    await register(caller, next);
    const [bound, other] = [await room.bindSession(caller, made), await room.bindSession(caller, next)];
    if (bound === null || other === null) throw new Error('not bound');
    let executed = 0;
    const work = (as: typeof caller) =>
      database.write(async (tx) => {
        await room.recheck(tx, as);
        const context = { actor: as.actor, caller: as, project: 'default', idempotencyKey: 'k' };
        return answerOnce(tx, receiptOf(context, 'work.do'), {}, async () => ++executed);
      });
    expect(await work(bound)).toBe(1);
    expect(await work(bound)).toBe(1);
    for (const as of [other, caller])
      await expect(work(as)).rejects.toMatchObject({ code: 'idempotency_mismatch' });
    await call(closeHarnessSession, { session: made.session }, caller, { presented: made });
    // A repeated call is asked again too.
    await expect(work(bound)).rejects.toMatchObject(REFUSED);
    expect(executed).toBe(1);
  });

  it('AC-052 AO-171: rotating and revoking a credential closes its sessions and no others', async () => {
    const { agent, another, register, call, room } = await sessionRig(open);
    const { caller, principal, credential } = await agent('ci');
    const second = await another(principal);
    const [first, kept] = [newSession(), newSession()];
    await register(caller, first);
    await register(second, kept);
    await call(rotateCredential, { credential, name: 'beside', revoke_old: false });
    expect(await room.bindSession(caller, first)).not.toBeNull();
    await call(rotateCredential, { credential, name: 'next' });
    expect(await room.bindSession(caller, first)).toBeNull();
    expect(await call(getHarnessSession, { session: first.session }, second)).toHaveProperty('closed_at');
    expect(await room.bindSession(second, kept)).not.toBeNull();
    await call(revokeCredential, { credential: second.credential ?? '' });
    const { data } = await call(listHarnessSessions, { active_within_hours: 0 }, caller);
    expect(data).toEqual([]);
    expect(await room.bindSession(second, kept)).toBeNull();
  });

  it('AC-054 AO-170: who may only read opens and closes sessions of its own, and has no subagents, not even by a key that was good', async () => {
    const { agent, register, call, audit } = await sessionRig(open);
    const { caller } = await agent('reader', ['read']);
    const made = newSession();
    await register(caller, made);
    const subagent = { project: 'default', name: 'helper', parent_session: made.session };
    const helper = newSession();
    await register({ ...caller, scopes: new Set(['read', 'write']) }, helper, { subagent }, 'k');
    for (const key of ['k', 'new'])
      await expect(register(caller, helper, { subagent }, key)).rejects.toMatchObject({
        code: 'operation_not_permitted',
      });
    await call(closeHarnessSession, { session: made.session }, caller, { presented: made });
    expect((await audit()).at(-1)).toMatchObject({ action: 'harness_session.closed', actor: 'agent:reader' });
  });

  it('AC-055: a credential of an integrator opens nothing, whatever its scopes are', async () => {
    const { agent, register } = await sessionRig(open);
    const { caller } = await agent('ci');
    const integrator = { ...caller, class: 'integrator' as const };
    for (const scope of ['read', 'write'] as const)
      expect(() => assertMay(integrator, scope, null)).toThrow('it is no call of an integrator');
    expect(() => assertMay(integrator, 'anonymous', null)).not.toThrow();
    await expect(register(integrator, newSession())).rejects.toMatchObject({
      code: 'operation_not_permitted',
    });
    const { handler } = bindOperation(listCredentials, async () => ({ data: [], has_more: false }));
    const context = {
      actor: 'x',
      caller: { ...integrator, scopes: new Set(['system' as const]) },
      project: '',
    };
    await expect(handler({}, context)).rejects.toMatchObject({ code: 'operation_not_permitted' });
  });

  it('people and whoever holds the files register none', async () => {
    const { register, adminCaller, call } = await sessionRig(open);
    const admin = await adminCaller();
    await expect(register(admin, newSession())).rejects.toMatchObject({ code: 'invalid_state' });
    const { session: session_id, proof } = newSession();
    const rest = { workstation_id: 'w', harness: 'h', capabilities: [] };
    const byHost = call(registerHarnessSession, { session_id, ...rest }, undefined, { presented: { proof } });
    await expect(byHost).rejects.toMatchObject({ code: 'invalid_state' });
    for (const presented of [
      {},
      { presented: { proof: 'short' } },
      { presented: { ...newSession(), proof } },
    ])
      await expect(
        call(registerHarnessSession, { session_id, ...rest }, admin, presented),
      ).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('AO-155: what is connected is told, the last active first, and what cannot be used is not', async () => {
    const { agent, register, call, clock, room, database } = await sessionRig(open);
    const [a, b] = [await agent('a'), await agent('b')];
    const [old, young, gone] = [newSession(), newSession(), newSession()];
    await register(a.caller, old);
    clock.skew = 1_800_000;
    await register(b.caller, gone);
    clock.skew = 2 * 3_600_000;
    await register(a.caller, young);
    const list = async (hours?: number, as = a.caller) => {
      const answer = await call(
        listHarnessSessions,
        hours === undefined ? {} : { active_within_hours: hours },
        as,
      );
      return answer.data.map(({ session_id: id }) => id);
    };
    expect(await list()).toEqual([young.session, gone.session, old.session]);
    expect(await list(1)).toEqual([young.session]);
    expect(await list(undefined, { ...b.caller, project: 'default' })).toEqual([gone.session]);
    // A change counts, and a look does not.
    const bound = await room.bindSession(a.caller, old);
    if (bound === null) throw new Error('not bound');
    await call(getHarnessSession, { session: old.session }, bound);
    expect(await list(1)).toEqual([young.session]);
    clock.skew += 61_000;
    await database.write((tx) => room.recheck(tx, bound));
    expect(await list(1)).toEqual([old.session, young.session]);
    await call(setPrincipalAccess, { principal: b.principal, expected_revision: 1, enabled: false });
    expect(await list(0)).toEqual([old.session, young.session]);
  });

  it('EX-020: sessions of others are as absent to whoever may see one project alone', async () => {
    const { agent, register, call } = await sessionRig(open);
    const [a, b] = [await agent('a'), await agent('b')];
    const made = newSession();
    await register(a.caller, made);
    const look = (session: string) =>
      call(getHarnessSession, { session }, { ...b.caller, project: 'default' });
    const absent = newSession().session;
    const answers = await Promise.all(
      [made.session, absent].map((id) =>
        look(id).catch((error: Error & { code: string }) => [error.code, error.message.replace(id, 'ID')]),
      ),
    );
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]).toEqual(['not_found', 'there is no harness session ID']);
  });
});

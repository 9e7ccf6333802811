import {
  createOperator,
  createPrincipal,
  listBrowserSessions,
  revokeBrowserSession,
  setOperatorAccess,
} from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import { identityRig, PASSWORD } from '../../test/identity-rig.ts';

const wrong = {
  code: 'authentication_required',
  message: 'the name or the password is wrong',
  next: expect.any(String),
};

eachDatabase('browser sessions', (open) => {
  it('AC-037, AC-038: signing in gives who it is, a token for writes, and a cookie for twelve hours', async () => {
    const { room, signIn, admin, audit, clock } = await identityRig(open);
    await admin();
    const { actor, csrf_token: csrf, cookie } = await signIn('ada');
    expect(actor).toMatchObject({ name: 'ada', role: 'admin', enabled: true });
    expect(cookie).toEqual({
      name: '__Host-palisade-session',
      value: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      attributes: { path: '/', httpOnly: true, sameSite: 'Strict', secure: true, maxAge: 43_200 },
    });
    expect(await room.authenticateSession(cookie.value)).toMatchObject({
      actor: 'human:ada',
      class: 'browser',
      principal: actor.id,
      credential: expect.stringMatching(/^bses_/),
      scopes: new Set(['read', 'write', 'approve', 'provision', 'system']),
    });
    expect(await room.me(cookie.value)).toEqual({ actor, csrf_token: csrf });
    expect((await audit()).map(({ action }) => action)).toEqual(['operator.created', 'browser.signed_in']);
    clock.skew = 12 * 3_600_000;
    expect([await room.authenticateSession(cookie.value), await room.me(cookie.value)]).toEqual([null, null]);
  });

  it('AC-038: a token for writes is good for its own session alone', async () => {
    const { room, signIn, admin } = await identityRig(open);
    await admin();
    const [one, other] = [await signIn('ada'), await signIn('ada')];
    expect(room.checkCsrf(one.cookie.value, one.csrf_token)).toBe(true);
    for (const presented of [other.csrf_token, '', undefined, one.cookie.value, `${one.csrf_token}x`])
      expect(room.checkCsrf(one.cookie.value, presented)).toBe(false);
    expect(room.checkCsrf('', one.csrf_token)).toBe(false);
  });

  it('AC-037: who is unknown, disabled or no person is told what a wrong password is told', async () => {
    const { call, signIn, admin } = await identityRig(open);
    await admin();
    await call(createPrincipal, { name: 'bot', kind: 'service' });
    const bob = await call(createOperator, { name: 'bob', role: 'operator', password: PASSWORD });
    await call(setOperatorAccess, {
      operator: bob.id,
      expected_revision: 1,
      role: 'operator',
      enabled: false,
    });
    for (const [name, password] of [
      ['ada', 'a wrong password'],
      ['nobody', PASSWORD],
      ['bot', PASSWORD],
      ['bob', PASSWORD],
      ['', PASSWORD],
      ['\u0000', 'x'.repeat(100_000)],
    ] as const)
      await expect(signIn(name, password)).rejects.toMatchObject(wrong);
  });

  it('AC-037: an unknown name takes as long as a known one', async () => {
    const { room, admin } = await identityRig(open);
    await admin();
    const spent = async (name: string) => {
      const before = performance.now();
      await room.login({ name, password: 'a wrong password' }).catch(() => undefined);
      return performance.now() - before;
    };
    await spent('warm');
    // In turn, and the best of each: other suites take their time meanwhile.
    let [known, unknown] = [Infinity, Infinity];
    for (let round = 0; round < 5; round++) {
      known = Math.min(known, await spent('ada'));
      unknown = Math.min(unknown, await spent(`eve-${round}`));
    }
    expect(unknown / known).toBeGreaterThan(0.4);
    expect(unknown / known).toBeLessThan(2.5);
  });

  it('AC-036: five tries a minute for one name, whoever asks and in whatever case', async () => {
    const { signIn, admin, monotonic } = await identityRig(open);
    await admin();
    for (const name of ['ada', 'Ada', 'ADA', 'ada', 'ada'])
      await expect(signIn(name, 'a wrong password')).rejects.toMatchObject(wrong);
    await expect(signIn('ada')).rejects.toMatchObject({ code: 'rate_limited', next: expect.any(String) });
    monotonic.now += 60_000;
    expect(await signIn('ada')).toMatchObject({ actor: { name: 'ada' } });
  });

  it('AC-037: a session given before is ended by signing in, and never used again', async () => {
    const { room, signIn, admin } = await identityRig(open);
    await admin();
    const first = await signIn('ada');
    const planted = 'A'.repeat(43);
    expect((await signIn('ada', PASSWORD, planted)).cookie.value).not.toBe(planted);
    expect(await room.authenticateSession(planted)).toBeNull();
    const second = await signIn('ada', PASSWORD, first.cookie.value);
    expect(second.cookie.value).not.toBe(first.cookie.value);
    expect(await room.authenticateSession(first.cookie.value)).toBeNull();
    expect(await room.authenticateSession(second.cookie.value)).not.toBeNull();
  });

  it('AC-037: signing out ends the session, once, and takes the cookie away', async () => {
    const { room, signIn, admin, audit } = await identityRig(open);
    await admin();
    const { cookie } = await signIn('ada');
    for (let i = 0; i < 2; i++)
      expect(await room.logout(cookie.value)).toMatchObject({
        name: cookie.name,
        value: '',
        attributes: { maxAge: 0 },
      });
    await room.logout('nothing');
    expect(await room.authenticateSession(cookie.value)).toBeNull();
    expect((await audit()).filter(({ action }) => action === 'browser.signed_out')).toHaveLength(1);
  });

  it('AC-048: everybody sees and ends their own sessions, an administrator those of others', async () => {
    const { call, room, signIn, admin, sessionOf } = await identityRig(open);
    await admin();
    const bob = await call(createOperator, { name: 'bob', role: 'operator', password: PASSWORD });
    const [ada, bobs, other] = [await sessionOf('ada'), await sessionOf('bob'), await signIn('bob')];
    const own = await call(listBrowserSessions, {}, bobs);
    expect(own.data).toMatchObject([
      { id: bobs.credential, current: true },
      { principal: bob.id, current: false },
    ]);
    const theirs = { principal: ada.principal ?? '' };
    await expect(call(listBrowserSessions, theirs, bobs)).rejects.toMatchObject({
      code: 'operation_not_permitted',
    });
    expect((await call(listBrowserSessions, { principal: bob.id }, ada)).data).toHaveLength(2);
    await expect(call(revokeBrowserSession, { session: ada.credential ?? '' }, bobs)).rejects.toMatchObject({
      code: 'not_found',
    });
    const second = own.data[1]?.id ?? '';
    const ended = await call(revokeBrowserSession, { session: second }, bobs);
    expect(ended.revoked_at).toBeTypeOf('number');
    expect(await call(revokeBrowserSession, { session: second }, ada)).toMatchObject({
      revoked_at: ended.revoked_at,
    });
    expect(await room.authenticateSession(other.cookie.value)).toBeNull();
    expect(await call(revokeBrowserSession, { session: bobs.credential ?? '' }, ada)).toMatchObject({
      current: false,
    });
    await expect(call(listBrowserSessions, {}, undefined)).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('AC-048: sessions that ended long ago are forgotten when their person signs in', async () => {
    const { call, admin, sessionOf, clock } = await identityRig(open);
    await admin();
    await sessionOf('ada');
    clock.skew = 31 * 86_400_000;
    expect((await call(listBrowserSessions, {}, await sessionOf('ada'))).data).toHaveLength(1);
  });

  it('AC-038: without TLS, for development on one machine, the cookie says so', async () => {
    const { admin, signIn } = await identityRig(open, { insecureLoopback: true });
    await admin();
    expect((await signIn('ada')).cookie).toMatchObject({
      name: 'palisade-session',
      attributes: { secure: false },
    });
  });
});

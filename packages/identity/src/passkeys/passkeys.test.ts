import {
  type Caller,
  createOperator,
  createPrincipal,
  listPasskeys,
  passkeyOptions,
  registerPasskey,
  removePasskey,
  setOperatorAccess,
} from '@palisade/contracts';
import { eachDatabase, type OpenDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import { Authenticator, type Bent } from '../../test/authenticator.ts';
import { identityRig, PASSWORD } from '../../test/identity-rig.ts';

const ORIGIN = 'https://palisade.example.com';
const refused = { code: 'authentication_required', next: expect.any(String) };

/** The administrator ada is signed in, and has an authenticator. */
async function passkeyRig(open: OpenDatabase) {
  const rig = await identityRig(open, { publicOrigin: ORIGIN });
  const ada = await rig.adminCaller();
  const device = new Authenticator(ORIGIN);
  const register = async (by: Caller = ada, with_ = device, bent: Bent = {}) => {
    const { challenge_id, options } = await rig.call(passkeyOptions, {}, by);
    return rig.call(registerPasskey, { challenge_id, credential: with_.create(options as object, bent) }, by);
  };
  const signInWith = async (with_ = device, bent: Bent = {}, previous?: string) => {
    const { challenge_id, options } = await rig.room.passkeyLoginOptions();
    return rig.room.passkeyLogin({ challenge_id, credential: with_.sign(options, bent), previous });
  };
  return { ...rig, ada, device, register, signInWith };
}

eachDatabase('passkeys', (open) => {
  it('AC-047: a person registers a passkey and signs in with it, and forgets it without ending sessions', async () => {
    const { call, ada, device, register, signInWith, room, audit, clock } = await passkeyRig(open);
    const { options } = await call(passkeyOptions, {}, ada);
    expect(options).toMatchObject({
      rp: { id: 'palisade.example.com' },
      user: { name: 'ada' },
      attestation: 'none',
      pubKeyCredParams: [{ alg: -7, type: 'public-key' }],
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    const passkey = await register();
    expect(passkey).toEqual({
      id: expect.stringMatching(/^pky_/),
      name: 'passkey',
      created_at: expect.any(Number),
    });
    clock.skew = 1_000;
    const first = await signInWith();
    expect(first).toMatchObject({ actor: { name: 'ada' }, csrf_token: expect.any(String) });
    // One that never counts is accepted every time.
    const second = await signInWith(device, { userHandle: ada.principal ?? '' }, first.cookie.value);
    expect(await room.authenticateSession(first.cookie.value)).toBeNull();
    const [listed] = (await call(listPasskeys, {}, ada)).data;
    expect(listed?.last_used_at).toBeGreaterThan(passkey.created_at);
    expect(await call(removePasskey, { passkey: passkey.id }, ada)).toMatchObject({ id: passkey.id });
    expect(await room.authenticateSession(second.cookie.value)).not.toBeNull();
    await expect(signInWith()).rejects.toMatchObject(refused);
    await expect(call(removePasskey, { passkey: passkey.id }, ada)).rejects.toMatchObject({
      code: 'not_found',
    });
    expect((await audit()).map(({ action }) => action).slice(2)).toEqual([
      'passkey.registered',
      'browser.signed_in',
      'browser.signed_in',
      'passkey.deleted',
    ]);
  });

  it('AC-047: nothing is registered that was made elsewhere, unseen, unverified, of another kind or with an attestation', async () => {
    const { call, ada, register } = await passkeyRig(open);
    const bents: Bent[] = [
      { origin: 'https://palisade.example.com.evil.example' },
      { origin: 'http://palisade.example.com' },
      { rpId: 'evil.example' },
      { challenge: 'AAAA' },
      { flags: 0x44 },
      { flags: 0x41 },
      { crossOrigin: true },
      { algorithm: -257 },
      { format: 'packed' },
      { format: 'apple' },
      { format: 'android-key' },
    ];
    for (const bent of bents)
      await expect(
        register(ada, new Authenticator(ORIGIN), bent),
        JSON.stringify(bent),
      ).rejects.toMatchObject(refused);
    expect((await call(listPasskeys, {}, ada)).data).toEqual([]);
    await register(ada, new Authenticator(ORIGIN), { crossOrigin: false });
  });

  it('AC-047: nobody signs in with what was signed elsewhere, unverified, for somebody else or by another key', async () => {
    const { device, register, signInWith, room } = await passkeyRig(open);
    await register();
    for (const bent of [
      { origin: 'https://evil.example' },
      { rpId: 'evil.example' },
      { challenge: 'AAAA' },
      { flags: 0x04 },
      { flags: 0x01 },
      { crossOrigin: true },
      { userHandle: `prn_${'0'.repeat(32)}` },
    ] as Bent[])
      await expect(signInWith(device, bent), JSON.stringify(bent)).rejects.toMatchObject(refused);
    const { challenge_id, options } = await room.passkeyLoginOptions();
    const forged = { ...new Authenticator(ORIGIN).sign(options), id: device.id };
    await expect(room.passkeyLogin({ challenge_id, credential: forged })).rejects.toMatchObject(refused);
    await expect(signInWith(new Authenticator(ORIGIN))).rejects.toMatchObject(refused);
  });

  it('AC-047: a counter that does not advance is refused, once it has counted', async () => {
    const { device, register, signInWith } = await passkeyRig(open);
    await register(undefined, device, { counter: 7 });
    for (const counter of [7, 6, 0])
      await expect(signInWith(device, { counter })).rejects.toMatchObject(refused);
    await signInWith(device, { counter: 8 });
    await expect(signInWith(device, { counter: 8 })).rejects.toMatchObject(refused);
  });

  it('AC-047: a challenge is for one try, five minutes, its purpose and its person', async () => {
    const { call, ada, device, register, room, clock, sessionOf } = await passkeyRig(open);
    await register();
    const used = await room.passkeyLoginOptions();
    const input = { challenge_id: used.challenge_id, credential: device.sign(used.options) };
    await expect(
      room.passkeyLogin({ ...input, credential: device.sign(used.options, { flags: 0 }) }),
    ).rejects.toMatchObject(refused);
    await expect(room.passkeyLogin(input)).rejects.toMatchObject(refused);
    const late = await room.passkeyLoginOptions();
    clock.skew += 300_000;
    await expect(
      room.passkeyLogin({ challenge_id: late.challenge_id, credential: device.sign(late.options) }),
    ).rejects.toMatchObject(refused);
    const ofLogin = await room.passkeyLoginOptions();
    const other = new Authenticator(ORIGIN);
    await expect(
      call(
        registerPasskey,
        { challenge_id: ofLogin.challenge_id, credential: other.create(ofLogin.options) },
        ada,
      ),
    ).rejects.toMatchObject(refused);
    await call(createOperator, { name: 'bob', role: 'operator', password: PASSWORD });
    const ofAda = await call(passkeyOptions, {}, ada);
    const stolen = { challenge_id: ofAda.challenge_id, credential: other.create(ofAda.options as object) };
    await expect(call(registerPasskey, stolen, await sessionOf('bob'))).rejects.toMatchObject(refused);
    expect(await call(registerPasskey, stolen, ada)).toMatchObject({ name: 'passkey' });
  });

  it('AC-047: ten passkeys a person, each of one person; a disabled person signs in with none', async () => {
    const { call, ada, device, register, signInWith, sessionOf } = await passkeyRig(open);
    const bob = await call(createOperator, { name: 'bob', role: 'operator', password: PASSWORD });
    const bobs = await sessionOf('bob');
    await register(bobs);
    await expect(register(ada)).rejects.toMatchObject({ code: 'already_exists' });
    for (let i = 0; i < 10; i++) await register(ada, new Authenticator(ORIGIN));
    await expect(register(ada, new Authenticator(ORIGIN))).rejects.toMatchObject({
      code: 'invalid_state',
      next: 'remove one of them first',
    });
    expect(await signInWith(device)).toMatchObject({ actor: { name: 'bob' } });
    await call(setOperatorAccess, {
      operator: bob.id,
      expected_revision: 1,
      role: 'operator',
      enabled: false,
    });
    await expect(signInWith(device)).rejects.toMatchObject(refused);
  });

  it('AC-047: passkeys are of people who signed in, where a public origin is configured', async () => {
    const { call, callerWith, room } = await identityRig(open);
    const made = await call(createPrincipal, { name: 'ci', kind: 'agent' });
    await expect(call(passkeyOptions, {}, await callerWith(made.token))).rejects.toMatchObject({
      code: 'operation_not_permitted',
    });
    await expect(room.passkeyLoginOptions()).rejects.toMatchObject({ code: 'requirements_unmet' });
  });

  it('AC-036: challenges for sign-ins are given sixty times a minute, and those that expired are forgotten', async () => {
    const { room, database, clock, monotonic } = await identityRig(open, { publicOrigin: ORIGIN });
    for (let i = 0; i < 60; i++) await room.passkeyLoginOptions();
    await expect(room.passkeyLoginOptions()).rejects.toMatchObject({ code: 'rate_limited' });
    monotonic.now = 60_000;
    clock.skew = 400_000;
    await room.passkeyLoginOptions();
    expect(await database.read((tx) => tx.sql.all('SELECT id FROM passkey_challenges'))).toHaveLength(1);
  });
});

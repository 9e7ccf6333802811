import {
  type Caller,
  getEmail,
  listPasskeys,
  PalisadeError,
  passkeyOptions,
  registerPasskey,
  removePasskey,
  setEmail,
} from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import { Authenticator } from '../../test/authenticator.ts';
import { identityRig, PASSWORD } from '../../test/identity-rig.ts';

const ORIGIN = 'https://palisade.example.com';
const MINUTE = 60_000;
const required = { code: 'reauthentication_required', next: expect.stringContaining('sign in again') };

eachDatabase('a sign-in of late', (open) => {
  it('AC-044, AC-047: who has a session of somebody, and not their password, takes over no account with it', async () => {
    const { call, adminCaller, clock, audit } = await identityRig(open, { publicOrigin: ORIGIN });
    const ada = await adminCaller();
    const register = async (device: Authenticator, by: Caller) => {
      const { challenge_id, options } = await call(passkeyOptions, {}, by);
      return call(registerPasskey, { challenge_id, credential: device.create(options as object) }, by);
    };
    const own = await register(new Authenticator(ORIGIN), ada);
    clock.skew = 9 * MINUTE;
    const begun = await call(passkeyOptions, {}, ada);

    clock.skew = 10 * MINUTE + 1;
    const email = { expected_revision: 1, email: 'mallory@example.com' };
    await expect(call(setEmail, email, ada)).rejects.toMatchObject(required);
    const late = new Authenticator(ORIGIN).create(begun.options as object);
    await expect(
      call(registerPasskey, { challenge_id: begun.challenge_id, credential: late }, ada),
    ).rejects.toMatchObject(required);
    await expect(register(new Authenticator(ORIGIN), ada)).rejects.toMatchObject(required);
    await expect(call(removePasskey, { passkey: own.id }, ada)).rejects.toMatchObject(required);
    await expect(call(removePasskey, { passkey: own.id, dry_run: true }, ada)).rejects.toMatchObject(
      required,
    );
    expect(await call(getEmail, {}, ada)).toMatchObject({ status: 'missing' });
    expect((await call(listPasskeys, {}, ada)).data).toMatchObject([{ id: own.id }]);
    expect((await audit()).at(-1)).toMatchObject({ action: 'passkey.deleted', outcome: 'refused' });
  });

  it('AC-044, AC-047: signing in again, with a password or a passkey, ends the session and allows it', async () => {
    const { call, admin, room, signIn, clock } = await identityRig(open, { publicOrigin: ORIGIN });
    await admin();
    const device = new Authenticator(ORIGIN);
    const callerOf = async (cookie: string): Promise<Caller> => {
      const caller = await room.authenticateSession(cookie);
      if (caller === null) throw new PalisadeError('internal', 'there is no session');
      return caller;
    };
    const first = (await signIn('ada')).cookie.value;
    clock.skew = 11 * MINUTE;
    await expect(call(passkeyOptions, {}, await callerOf(first))).rejects.toMatchObject(required);
    const again = (await signIn('ada', PASSWORD, first)).cookie.value;
    expect(await room.authenticateSession(first)).toBeNull();
    const { challenge_id, options } = await call(passkeyOptions, {}, await callerOf(again));
    const credential = device.create(options as object);
    await call(registerPasskey, { challenge_id, credential }, await callerOf(again));

    clock.skew = 22 * MINUTE;
    const email = { expected_revision: 1, email: 'ada@example.com' };
    await expect(call(setEmail, email, await callerOf(again))).rejects.toMatchObject(required);
    const asked = await room.passkeyLoginOptions();
    const { cookie } = await room.passkeyLogin({
      challenge_id: asked.challenge_id,
      credential: device.sign(asked.options),
      previous: again,
    });
    expect(await room.authenticateSession(again)).toBeNull();
    expect(await call(setEmail, email, await callerOf(cookie.value))).toMatchObject({ email: email.email });
  });
});

import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  changePassword,
  createOperator,
  createPrincipal,
  getAccount,
  getEmail,
  getOperator,
  resendEmail,
  setEmail,
  setOperatorAccess,
} from '@palisade/contracts';
import { eachDatabase, type OpenDatabase } from '@palisade/kernel/testing';
import { describe, expect, it } from 'vitest';
import { identityRig, PASSWORD } from '../../test/identity-rig.ts';
import { mailSink, type Received } from '../../test/mail-sink.ts';
import { smtpMailer } from '../index.ts';

const ORIGIN = 'https://palisade.example.com';
const OTHER = 'staple of another kind';
const MINUTE = 60_000;

const tokensOf = (mail: Received | undefined): string[] =>
  [...(mail?.parts[0] ?? '').matchAll(/token=([A-Za-z0-9_-]{43})/g)].map(([, token = '']) => token);

/** Identity with a relay, and the administrator ada, who is signed in. */
async function mailRig(open: OpenDatabase) {
  const sink = await mailSink();
  const mailer = smtpMailer({
    host: '127.0.0.1',
    port: sink.port,
    tls: 'none',
    from: 'palisade@example.com',
  });
  const rig = await identityRig(open, { publicOrigin: ORIGIN, mailer });
  const ada = await rig.adminCaller();
  const verified = async (email: string) => {
    await rig.call(setEmail, { expected_revision: 1, email }, ada);
    expect(await rig.room.verifyEmail(tokensOf(sink.received.at(-1))[0] ?? '')).toBe(true);
  };
  return { ...rig, ...sink, ada, verified };
}

eachDatabase('email', (open) => {
  it('AC-044, AC-046: an address is verified by the link that was mailed to it, once', async () => {
    const { call, room, received, ada, audit } = await mailRig(open);
    expect(await call(getEmail, {}, ada)).toEqual({ status: 'missing', mail_configured: true });
    const set = await call(setEmail, { expected_revision: 1, email: 'Ada@example.com' }, ada);
    expect(set).toMatchObject({
      email: 'Ada@example.com',
      status: 'unverified',
      sent_at: expect.any(Number),
    });
    expect(set.link_expires_at).toBe((set.resend_available_at ?? 0) + 24 * 60 * MINUTE - MINUTE);
    expect(received).toMatchObject([{ to: ['Ada@example.com'], contentType: 'multipart/alternative' }]);
    const [text = '', html = ''] = received[0]?.parts ?? [];
    const [token = ''] = tokensOf(received[0]);
    expect(text).toContain(`${ORIGIN}/v1/auth/email/verify?token=${token}`);
    expect(html).toContain(`<a href="${ORIGIN}/v1/auth/email/verify?token=${token}">`);
    expect(await room.verifyEmail('A'.repeat(43))).toBe(false);
    expect([await room.verifyEmail(token), await room.verifyEmail(token)]).toEqual([true, false]);
    expect(await call(getEmail, {}, ada)).toMatchObject({
      status: 'verified',
      verified_at: expect.any(Number),
    });
    const again = call(setEmail, { expected_revision: 1, email: 'Ada@example.com' }, ada);
    await expect(again).rejects.toMatchObject({ code: 'invalid_state' });
    await expect(call(resendEmail, {}, ada)).rejects.toMatchObject({ code: 'invalid_state' });
    expect((await audit()).map(({ action }) => action).slice(2)).toEqual([
      'operator.email_set',
      'operator.email_verified',
    ]);
  });

  it('AC-044: another link is sent after a minute and ends the one before; each ends after a day', async () => {
    const { call, room, received, ada, clock } = await mailRig(open);
    await expect(call(resendEmail, {}, ada)).rejects.toMatchObject({
      code: 'invalid_state',
      next: 'set your address',
    });
    await call(setEmail, { expected_revision: 1, email: 'ada@example.com' }, ada);
    await expect(call(resendEmail, {}, ada)).rejects.toMatchObject({ code: 'rate_limited' });
    clock.skew = MINUTE;
    await call(resendEmail, {}, ada);
    const [[first = ''], [second = '']] = [tokensOf(received[0]), tokensOf(received[1])];
    expect(await room.verifyEmail(first)).toBe(false);
    clock.skew += 24 * 60 * MINUTE;
    expect(await room.verifyEmail(second)).toBe(false);
  });

  it('AC-039: an account tells its address, how far it is verified and how the last message went', async () => {
    const { call, ada, verified, clock } = await mailRig(open);
    expect(await call(getAccount, {}, ada)).toMatchObject({
      email_verified: false,
      email_verification: { status: 'missing' },
      mail_configured: true,
    });
    await call(setEmail, { expected_revision: 1, email: 'first@example.com' }, ada);
    expect(await call(getAccount, {}, ada)).toMatchObject({
      email: 'first@example.com',
      email_verified: false,
      email_verification: {
        status: 'unverified',
        sent_at: expect.any(Number),
        link_expires_at: expect.any(Number),
        resend_available_at: expect.any(Number),
      },
    });
    clock.skew = MINUTE;
    await verified('ada@example.com');
    const account = await call(getAccount, {}, ada);
    expect(account).toMatchObject({
      name: 'ada',
      email: 'ada@example.com',
      email_verified: true,
      email_verified_at: expect.any(Number),
      email_verification: { status: 'verified' },
    });
    expect(await call(getOperator, { operator: account.id })).toEqual(account);
  });

  it('AC-041: an account is created with an address, to which one link is sent however often the call is repeated', async () => {
    const { call, ada, received, room } = await mailRig(open);
    const input = { name: 'bob', role: 'operator', password: OTHER, email: 'bob@example.com' } as const;
    expect(await call(createOperator, { ...input, dry_run: true }, ada)).toMatchObject({
      email: input.email,
    });
    expect(received).toEqual([]);
    const made = await call(createOperator, input, ada, { idempotencyKey: 'k' });
    expect(made).toMatchObject({
      email: 'bob@example.com',
      email_verified: false,
      email_verification: { status: 'unverified', sent_at: expect.any(Number) },
    });
    expect(received.map(({ to }) => to)).toEqual([['bob@example.com']]);
    expect(await room.verifyEmail(tokensOf(received[0])[0] ?? '')).toBe(true);
    expect(await call(createOperator, input, ada, { idempotencyKey: 'k' })).toMatchObject({
      id: made.id,
      email_verified: true,
    });
    await expect(
      call(createOperator, { ...input, email: 'eve@example.com' }, ada, { idempotencyKey: 'k' }),
    ).rejects.toMatchObject({ code: 'idempotency_mismatch' });
    expect(received).toHaveLength(1);
  });

  it('AC-046: what could not be sent is recorded, and undoes nothing', async () => {
    const { call, state, ada } = await mailRig(open);
    state.refuses = true;
    const set = await call(setEmail, { expected_revision: 1, email: 'ada@example.com' }, ada);
    expect(set).toMatchObject({ status: 'unverified', send_error: 'send_failed', email: 'ada@example.com' });
    expect(set).not.toHaveProperty('sent_at');
  });

  it('AC-046: without a relay the room works and says that nothing was sent', async () => {
    const { call, adminCaller, callerWith, room } = await identityRig(open);
    const ada = await adminCaller();
    const email = 'ada@example.com';
    expect(await call(setEmail, { expected_revision: 1, email }, ada)).toMatchObject({
      send_error: 'mail_not_configured',
      mail_configured: false,
    });
    await expect(call(setEmail, { expected_revision: 9, email: 'x@example.com' }, ada)).rejects.toMatchObject(
      {
        code: 'stale_revision',
      },
    );
    await room.forgotPassword({ email }).sent;
    const made = await call(createPrincipal, { name: 'ci', kind: 'agent' });
    await expect(call(getEmail, {}, await callerWith(made.token))).rejects.toMatchObject({
      code: 'operation_not_permitted',
    });
  });

  it('AC-045: a forgotten password is set by a mailed link, once, and every session ends', async () => {
    const { room, received, verified, signIn, sessionOf, database, audit } = await mailRig(open);
    await verified('ada@example.com');
    const session = await sessionOf('ada');
    const asked = room.forgotPassword({ email: 'ADA@example.com' });
    expect(asked.requested).toBe(true);
    await asked.sent;
    const [token = ''] = tokensOf(received[1]);
    expect(received[1]?.parts[0]).toContain(`ada: ${ORIGIN}/v1/auth/password/reset?token=`);
    const reset = { token, password: OTHER, confirmation: OTHER };
    await expect(room.resetPassword({ ...reset, confirmation: 'other' })).rejects.toMatchObject({
      code: 'invalid_input',
    });
    await expect(
      room.resetPassword({ token, password: 'short', confirmation: 'short' }),
    ).rejects.toMatchObject({ code: 'invalid_input' });
    await room.resetPassword(reset);
    const ended = { code: 'authentication_required', next: 'ask for another link' };
    await expect(room.resetPassword(reset)).rejects.toMatchObject(ended);
    await expect(database.write((tx) => room.recheck(tx, session))).rejects.toMatchObject({
      code: 'authentication_required',
    });
    expect(await signIn('ada', OTHER)).toMatchObject({ actor: { name: 'ada', revision: 2 } });
    expect((await audit()).map(({ action }) => action)).toContain('operator.password_reset');
  });

  it('AC-045: nothing is mailed to an address that is unknown or not verified, and the answer is the same', async () => {
    const { call, room, received, ada } = await mailRig(open);
    await call(setEmail, { expected_revision: 1, email: 'ada@example.com' }, ada);
    for (const email of ['ada@example.com', 'eve@example.com']) {
      const asked = room.forgotPassword({ email });
      expect(asked.requested).toBe(true);
      await asked.sent;
    }
    expect(received).toHaveLength(1);
    for (let i = 0; i < 4; i++) room.forgotPassword({ email: 'eve@example.com' });
    expect(() => room.forgotPassword({ email: 'Eve@example.com' })).toThrow('too many tries');
    expect(() => room.forgotPassword({ email: 'nonsense' })).toThrow('not valid');
  });

  it('AC-045: a link ends after an hour, with a newer one, and when address, password or access change', async () => {
    const { call, room, received, verified, sessionOf, clock } = await mailRig(open);
    await verified('ada@example.com');
    const mailed = async (): Promise<string> => {
      clock.skew += MINUTE;
      await room.forgotPassword({ email: 'ada@example.com' }).sent;
      return tokensOf(received.at(-1))[0] ?? '';
    };
    const isGood = (token: string) =>
      room.resetPassword({ token, password: 'short enough to be', confirmation: 'short enough to be' }).then(
        () => true,
        (error: { code: string }) => error.code !== 'authentication_required',
      );
    const first = await mailed();
    await room.forgotPassword({ email: 'ada@example.com' }).sent;
    expect(tokensOf(received.at(-1))[0]).toBe(first);
    const second = await mailed();
    expect(second).not.toBe(first);
    expect(await isGood(first)).toBe(false);
    clock.skew += 60 * MINUTE;
    expect(await isGood(second)).toBe(false);
    const third = await mailed();
    await call(setEmail, { expected_revision: 1, email: 'ada@example.org' }, await sessionOf('ada'));
    expect(await isGood(third)).toBe(false);
  });

  it('AC-045: a person who was disabled, or has a new password, has no use for a link of before', async () => {
    const { call, room, received, verified, ada, monotonic } = await mailRig(open);
    await verified('ada@example.com');
    await room.forgotPassword({ email: 'ada@example.com' }).sent;
    const [token = ''] = tokensOf(received.at(-1));
    const bob = await call(createOperator, { name: 'bob', role: 'admin', password: PASSWORD });
    expect(bob.role).toBe('admin');
    const access = { operator: ada.principal ?? '', role: 'admin' } as const;
    await call(setOperatorAccess, { ...access, expected_revision: 1, enabled: false });
    await call(setOperatorAccess, { ...access, expected_revision: 2, enabled: true });
    const reset = { token, password: OTHER, confirmation: OTHER };
    await expect(room.resetPassword(reset)).rejects.toMatchObject({ code: 'authentication_required' });
    monotonic.now += MINUTE;
    const change = { current_password: PASSWORD, new_password: OTHER, expected_revision: 3 };
    await expect(call(changePassword, change, ada)).rejects.toMatchObject({
      code: 'authentication_required',
    });
  });
});

describe('the mail relay', () => {
  it('AC-046: a password that others may read, and a relay elsewhere without TLS, are refused', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'palisade-mail-'));
    try {
      const passwordFile = join(directory, 'password');
      await writeFile(passwordFile, 'secret', { mode: 0o600 });
      const settings = {
        host: 'mail.example.com',
        user: 'palisade',
        passwordFile,
        from: 'palisade@example.com',
      };
      smtpMailer(settings);
      await chmod(passwordFile, 0o644);
      expect(() => smtpMailer(settings)).toThrow('others may read');
      expect(() => smtpMailer({ host: 'mail.example.com', tls: 'none', from: 'x@example.com' })).toThrow(
        'without TLS',
      );
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});

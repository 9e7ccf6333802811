import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mailSink } from '../../identity/test/mail-sink.ts';
import { Browser } from '../test/browser.ts';
import { accountSettings, mailSetting } from './account-settings.ts';
import { openHostAccounts } from './host-accounts.ts';
import { publicOriginOf } from './public-origin.ts';
import { serve } from './serve.ts';

const RELAY = { PALISADE_SMTP_HOST: 'mail.example', PALISADE_MAIL_FROM: 'palisade@example.com' };

async function directory(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'palisade-accounts-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

describe('what an operator sets of accounts', () => {
  it('AC-046: a relay is named whole or not at all', () => {
    expect(mailSetting({})).toBeUndefined();
    expect(mailSetting({ PALISADE_SMTP_HOST: '' })).toBeUndefined();
    expect(mailSetting(RELAY)).toEqual({ host: 'mail.example', from: 'palisade@example.com' });
    const whole = {
      ...RELAY,
      PALISADE_SMTP_PORT: '2525',
      PALISADE_SMTP_TLS: 'tls',
      PALISADE_SMTP_USER: 'ada',
      PALISADE_SMTP_PASSWORD_FILE: '/run/secrets/mail',
    };
    expect(mailSetting(whole)).toEqual({
      host: 'mail.example',
      from: 'palisade@example.com',
      port: 2_525,
      tls: 'tls',
      user: 'ada',
      passwordFile: '/run/secrets/mail',
    });
    for (const [wrong, name] of [
      [{ PALISADE_SMTP_HOST: 'mail.example' }, 'PALISADE_MAIL_FROM'],
      [{ ...RELAY, PALISADE_SMTP_TLS: 'ssl' }, 'PALISADE_SMTP_TLS'],
      [{ ...RELAY, PALISADE_SMTP_PORT: '0' }, 'PALISADE_SMTP_PORT'],
      [{ ...RELAY, PALISADE_SMTP_PORT: '65536' }, 'PALISADE_SMTP_PORT'],
      [{ ...RELAY, PALISADE_SMTP_USER: 'ada' }, 'PALISADE_SMTP_PASSWORD_FILE'],
      [{ ...RELAY, PALISADE_SMTP_PASSWORD_FILE: '/x' }, 'PALISADE_SMTP_USER'],
    ] as const)
      expect(() => mailSetting(wrong)).toThrow(name);
  });

  it('AC-046: a password that others may read, or is not there, is refused when the server starts', async () => {
    const file = join(await directory(), 'password');
    const env = { ...RELAY, PALISADE_SMTP_USER: 'ada', PALISADE_SMTP_PASSWORD_FILE: file };
    const refused = expect.objectContaining({ code: 'invalid_input', next: expect.any(String) });
    expect(() => accountSettings(env, undefined)).toThrow(refused);
    await writeFile(file, 'hush\n', { mode: 0o644 });
    await chmod(file, 0o644);
    expect(() => accountSettings(env, undefined)).toThrow(refused);
    await chmod(file, 0o600);
    expect(accountSettings(env, undefined).mailer).toBeDefined();
  });

  it('AC-038: the public origin is one of TLS, or of this machine', () => {
    const address = { host: '127.0.0.1', port: 7_420 };
    expect(publicOriginOf(undefined, address, false)).toBe('http://127.0.0.1:7420');
    expect(publicOriginOf('', { host: '::1', port: 80 }, false)).toBe('http://[::1]');
    expect(publicOriginOf('https://Palisade.example:443/', address, true)).toBe('https://palisade.example');
    expect(publicOriginOf('http://localhost:7420', address, false)).toBe('http://localhost:7420');
    expect(accountSettings({}, 'http://localhost:7420').insecureLoopback).toBe(true);
    expect(accountSettings({}, 'https://palisade.example').insecureLoopback).toBe(false);
    for (const [text, isBehindTls] of [
      [undefined, true],
      // Somebody terminates TLS, and it is not said: every request would seem to come from this machine.
      ['https://palisade.example', false],
    ] as const)
      expect(() => publicOriginOf(text, address, isBehindTls)).toThrow(
        expect.objectContaining({ code: 'requirements_unmet' }),
      );
    for (const [text, isBehindTls] of [
      ['http://palisade.example', false],
      ['http://localhost:7420', true],
      ['https://palisade.example/x', true],
      ['https://ada@palisade.example', true],
      ['https://palisade.example?x', true],
      ['javascript:alert(1)', false],
      ['palisade.example', false],
    ] as const)
      expect(() => publicOriginOf(text, address, isBehindTls), text).toThrow(
        expect.objectContaining({ code: 'invalid_input' }),
      );
  });

  it('AC-044 AC-046: what is set is what a served control plane does: its mail leads to its public origin', async () => {
    const root = await directory();
    const sink = await mailSink();
    const origin = 'http://localhost:7420';
    const serving = await serve({
      directory: root,
      listen: '127.0.0.1:0',
      env: {
        PALISADE_PUBLIC_ORIGIN: origin,
        PALISADE_SMTP_HOST: '127.0.0.1',
        PALISADE_SMTP_PORT: String(sink.port),
        PALISADE_SMTP_TLS: 'none',
        PALISADE_MAIL_FROM: 'palisade@example.com',
      },
      onLine: () => {},
    });
    onTestFinished(() => serving.close());
    const accounts = await openHostAccounts({ directory: root });
    await accounts.initAdmin({ name: 'ada', password: 'correct horse battery' });
    await accounts.close();
    const browser = new Browser(serving, origin);
    await browser.signIn('ada', 'correct horse battery');
    const body = { expected_revision: 1, email: 'ada@example.com' };
    const set = await browser.send('POST', '/v1/auth/email', { body });
    expect(set).toMatchObject({ status: 200, body: { mail_configured: true, sent_at: expect.any(Number) } });
    expect(sink.received[0]?.parts[0]).toContain(`${origin}/v1/auth/email/verify?token=`);
    const passkeys = await browser.send('POST', '/v1/auth/passkeys/options', { body: {} });
    expect(passkeys).toMatchObject({ status: 200, body: { options: { rp: { id: 'localhost' } } } });
  });
});

import { smtpMailer } from '@palisade/identity';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import { Authenticator } from '../../../identity/test/authenticator.ts';
import { mailSink } from '../../../identity/test/mail-sink.ts';
import { Browser } from '../../test/browser.ts';
import { httpRig } from '../../test/http-rig.ts';

const PASSWORD = 'correct horse battery';
const OTHER = 'staple of another kind';
const ORIGIN = 'https://palisade.example';

eachDatabase('people and a served control plane', (open) => {
  /** A server with the administrator ada. */
  const rigOf = async (options: Parameters<typeof httpRig>[0] = {}) => {
    const url = open.url();
    const rig = await httpRig({ ...options, ...(url.startsWith('postgres') ? { databaseUrl: url } : {}) });
    await rig.composition.identity.initAdmin({ name: 'ada', password: PASSWORD });
    return rig;
  };

  it('AC-037 AC-038: a person signs in, is known by a cookie that no script reads, and signs out', async () => {
    const rig = await rigOf();
    const browser = new Browser(rig);
    const signedIn = await browser.signIn('ADA', PASSWORD);
    expect(signedIn).toMatchObject({ status: 200, body: { actor: { name: 'ada', role: 'admin' } } });
    const [set = ''] = signedIn.headers.getSetCookie();
    expect(set).toMatch(
      /^palisade-session=[A-Za-z0-9_-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    expect(signedIn.text).not.toContain(browser.cookie.split('=')[1]);
    expect((await browser.send('GET', '/v1/auth/me')).body).toEqual(signedIn.body);
    expect((await browser.send('GET', '/v1/projects/default/runs')).status).toBe(200);
    const queue = { body: { concurrency: 3 } };
    expect((await browser.send('PUT', '/v1/projects/default/queues/slow', queue)).status).toBe(200);
    const { cookie } = browser;
    const signedOut = await browser.send('POST', '/v1/auth/logout', { body: {} });
    expect(signedOut).toMatchObject({ status: 200, body: { signed_out: true } });
    expect(signedOut.headers.getSetCookie()[0]).toMatch(/^palisade-session=; Max-Age=0;/);
    expect(browser.cookie).toBe('');
    browser.cookie = cookie;
    expect((await browser.send('GET', '/v1/auth/me')).status).toBe(401);
    expect(JSON.stringify(rig.lines)).not.toMatch(new RegExp(`${PASSWORD}|${cookie.split('=')[1]}`));
  });

  it('AC-038: with TLS the cookie is Secure and of this host alone, and the public origin is the one that counts', async () => {
    const rig = await rigOf({ accounts: { publicOrigin: ORIGIN, insecureLoopback: false } });
    const browser = new Browser(rig, ORIGIN);
    const { headers } = await browser.signIn('ada', PASSWORD);
    expect(headers.getSetCookie()[0]).toMatch(
      /^__Host-palisade-session=[A-Za-z0-9_-]{43}; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
    const elsewhere = new Browser(rig, rig.url);
    expect((await elsewhere.signIn('ada', PASSWORD)).status).toBe(403);
  });

  it('AC-048: sessions are listed and ended, at once and everywhere, and the cookie of this one goes', async () => {
    const rig = await rigOf();
    const [here, there] = [new Browser(rig), new Browser(rig)];
    for (const browser of [here, there]) await browser.signIn('ada', PASSWORD);
    const list = await here.send('GET', '/v1/browser-sessions');
    const sessions = list.body['data'] as { id: string; current: boolean }[];
    const [other, own] = [false, true].map((is) => sessions.find(({ current }) => current === is)?.id);
    const end = (id: string | undefined) =>
      here.send('POST', `/v1/browser-sessions/${id}/revoke`, { body: {} });
    expect((await end(other)).headers.getSetCookie()).toEqual([]);
    expect((await there.send('GET', '/v1/auth/me')).status).toBe(401);
    expect((await end(own)).status).toBe(200);
    expect(here.cookie).toBe('');
  });

  it('AC-043: a changed password ends every session, and says so to the browser', async () => {
    const rig = await rigOf();
    const browser = new Browser(rig);
    await browser.signIn('ada', PASSWORD);
    const input = { current_password: PASSWORD, new_password: OTHER, expected_revision: 1 };
    const changed = await browser.send('POST', '/v1/auth/password', { body: input });
    expect(changed).toMatchObject({ status: 200, body: { revision: 2, signed_out: true } });
    expect(browser.cookie).toBe('');
    expect((await browser.signIn('ada', PASSWORD)).status).toBe(401);
    expect((await browser.signIn('ada', OTHER)).status).toBe(200);
  });

  it('AC-042 AC-056: what an administrator takes away bites at the next call, and at one that waits', async () => {
    const rig = await rigOf();
    const [ada, bob] = [new Browser(rig), new Browser(rig)];
    await ada.signIn('ada', PASSWORD);
    const person = { name: 'bob', role: 'operator', password: OTHER };
    const made = await ada.send('POST', '/v1/admin/operators', { body: person });
    await bob.signIn('bob', OTHER);
    expect((await bob.send('GET', '/v1/admin/operators')).status).toBe(403);
    const run = { run_id: 'r', plan: { items: [{ id: 'a', command: 'true' }] } };
    expect((await bob.send('POST', '/v1/projects/default/runs', { body: run })).status).toBe(200);
    const events = '/v1/projects/default/runs/r/events';
    const { body: page } = await bob.send('GET', events);
    const last = (page['data'] as { seq: number }[]).at(-1)?.seq;
    const waiting = bob.send('GET', `${events}?after_seq=${last}&wait_ms=3000`);
    const access = { expected_revision: 1, role: 'operator', enabled: false };
    const path = `/v1/admin/operators/${String(made.body['id'])}/access`;
    expect((await ada.send('POST', path, { body: access })).status).toBe(200);
    expect((await bob.send('GET', '/v1/projects/default/runs')).status).toBe(401);
    expect((await waiting).status).toBe(401);
    expect((await bob.signIn('bob', OTHER)).status).toBe(401);
  });

  it('AC-047: a passkey is registered over HTTP and signs its person in, on the public origin alone', async () => {
    const rig = await rigOf({ accounts: { publicOrigin: ORIGIN, insecureLoopback: false } });
    const browser = new Browser(rig, ORIGIN);
    await browser.signIn('ada', PASSWORD);
    const device = new Authenticator(ORIGIN);
    const asked = await browser.send('POST', '/v1/auth/passkeys/options', { body: {} });
    const { challenge_id: id, options } = asked.body as { challenge_id: string; options: object };
    const made = { challenge_id: id, credential: device.create(options) };
    expect((await browser.send('POST', '/v1/auth/passkeys', { body: made })).status).toBe(200);
    const enter = async (bent = {}) => {
      const fresh = new Browser(rig, ORIGIN);
      const { body } = await fresh.send('POST', '/v1/auth/passkey-login/options', { body: {} });
      const told = body as { challenge_id: string; options: object };
      const credential = device.sign(told.options, bent);
      const path = '/v1/auth/passkey-login';
      const sent = { challenge_id: told.challenge_id, credential };
      return { fresh, answer: await fresh.send('POST', path, { body: sent }) };
    };
    const { fresh, answer } = await enter();
    expect(answer).toMatchObject({ status: 200, body: { actor: { name: 'ada' } } });
    expect((await fresh.send('GET', '/v1/auth/me')).body).toEqual(answer.body);
    const bent = await enter({ origin: 'https://evil.example' });
    expect(bent.answer).toMatchObject({ status: 401, body: { code: 'authentication_required' } });
  });

  it('AC-044 AC-045: links in messages verify an address and set a password, and what merely looks at them does nothing', async () => {
    const sink = await mailSink();
    const mailer = smtpMailer({ host: '127.0.0.1', port: sink.port, tls: 'none', from: 'p@example.com' });
    const rig = await rigOf({ accounts: { publicOrigin: ORIGIN, insecureLoopback: false, mailer } });
    const link = (): string => {
      const [found = ''] = /https:\/\/\S+/.exec(sink.received.at(-1)?.parts[0] ?? '') ?? [];
      return found.slice(ORIGIN.length);
    };
    const browser = new Browser(rig, ORIGIN);
    await browser.signIn('ada', PASSWORD);
    const email = { expected_revision: 1, email: 'ada@example.com' };
    expect((await browser.send('POST', '/v1/auth/email', { body: email })).status).toBe(200);
    const again = { ...email, email: 'victim@example.com' };
    expect((await browser.send('POST', '/v1/auth/email', { body: again })).status).toBe(429);
    const nobody = new Browser(rig, ORIGIN);
    const verify = link();
    expect(await nobody.send('HEAD', verify)).toMatchObject({ status: 200, text: '' });
    const verified = await nobody.send('GET', verify);
    expect(verified).toMatchObject({
      status: 200,
      text: expect.stringContaining('Your address is verified'),
    });
    expect(verified.headers.get('referrer-policy')).toBe('same-origin');
    expect(verified.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(verified.headers.getSetCookie()).toEqual([]);
    expect(await nobody.send('GET', verify)).toMatchObject({ status: 410 });

    const forgot = (address: string) =>
      nobody.send('POST', '/v1/auth/password/forgot', { body: { email: address } });
    for (const address of ['ADA@example.com', 'nobody@example.com'])
      expect(await forgot(address)).toMatchObject({ status: 200, body: { requested: true } });
    await expect.poll(() => sink.received.length).toBe(2);
    const reset = link();
    const token = new URLSearchParams(reset.split('?')[1]).get('token') ?? '';
    for (let i = 0; i < 2; i++) {
      const form = await nobody.send('GET', reset);
      expect(form.status).toBe(200);
      expect(form.text).toContain(`value="${token}"`);
    }
    const set = (form: Record<string, string>, headers = {}) =>
      nobody.send('POST', '/v1/auth/password/reset', { form: { token, ...form }, headers });
    const good = { password: OTHER, confirmation: OTHER };
    expect((await set(good, { Origin: 'https://evil.example' })).status).toBe(403);
    expect(await set({ password: 'short', confirmation: 'short' })).toMatchObject({
      status: 400,
      text: expect.stringContaining('must be 12 to 1024 bytes long'),
    });
    expect(await set({ ...good, confirmation: PASSWORD })).toMatchObject({ status: 400 });
    expect(await set(good)).toMatchObject({
      status: 200,
      text: expect.stringContaining('The password is set'),
    });
    expect(await set(good)).toMatchObject({ status: 410 });
    expect((await browser.send('GET', '/v1/auth/me')).status).toBe(401);
    expect((await nobody.signIn('ada', OTHER)).status).toBe(200);
    expect(JSON.stringify(rig.lines)).not.toContain(token);
  });

  it('AC-045: links that nobody was sent are refused after a while, and those that somebody was sent are not', async () => {
    const rig = await rigOf();
    const browser = new Browser(rig);
    const tried: number[] = [];
    for (let i = 0; i < 61; i++)
      tried.push(
        (await browser.send('GET', `/v1/auth/email/verify?token=${String(i).padStart(43, 'A')}`)).status,
      );
    expect(tried).toEqual([...Array<number>(60).fill(410), 429]);
    const form = { token: 'A'.repeat(43), password: OTHER, confirmation: OTHER };
    const refused = await browser.send('POST', '/v1/auth/password/reset', { form });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    for (const token of ['', 'x', '"><script>', 'A'.repeat(5_000)]) {
      const { status, text } = await browser.send(
        'GET',
        `/v1/auth/password/reset?token=${encodeURIComponent(token)}`,
      );
      expect(status).toBe(410);
      expect(text).not.toContain('script');
    }
  });

  it('EX-214: who did what is read page by page, newest first, and only by whoever administers', async () => {
    const rig = await rigOf();
    const browser = new Browser(rig);
    await browser.signIn('ada', PASSWORD);
    const principal = { name: 'ci', kind: 'agent' };
    const made = await browser.send('POST', '/v1/admin/principals', { body: principal });
    const { token } = made.body as { token: string };
    const seen: { seq: number; action: string; request?: string }[] = [];
    let cursor = '';
    for (;;) {
      const { body } = await browser.send('GET', `/v1/admin/audit?limit=2${cursor}`);
      seen.push(...(body['data'] as typeof seen));
      if (body['has_more'] !== true) break;
      cursor = `&cursor=${String(body['next_cursor'])}`;
    }
    expect(seen.map(({ action }) => action)).toEqual([
      'principal.created',
      'browser.signed_in',
      'operator.created',
    ]);
    expect(seen.map(({ seq }) => seq)).toEqual([2, 1, 0]);
    expect(seen[0]?.request).toBe(made.headers.get('request-id'));
    expect(JSON.stringify(seen)).not.toMatch(new RegExp(`${token}|${PASSWORD}`));
    const agent = await rig.send('GET', '/v1/admin/audit', { token: rig.token(['read', 'write']) });
    expect(agent.status).toBe(403);
  });
});

import { request } from 'node:http';
import { declaredOperations } from '@palisade/contracts';
import { describe, expect, it } from 'vitest';
import { Browser } from '../../test/browser.ts';
import { httpRig } from '../../test/http-rig.ts';

const PASSWORD = 'correct horse battery';
const WRONG = 'wrong horse battery';
const ORIGIN = 'https://palisade.example';

const rigOf = async (options: Parameters<typeof httpRig>[0] = {}) => {
  const rig = await httpRig(options);
  await rig.composition.identity.initAdmin({ name: 'ada', password: PASSWORD });
  return rig;
};

describe('attacks on accounts', () => {
  it('AC-037: nobody is signed in, and no message sent, by a page of somebody else', async () => {
    const rig = await rigOf();
    const open = declaredOperations().filter(
      ({ access, effect }) => access === 'anonymous' && effect !== 'read',
    );
    expect(open.map(({ id }) => id)).toEqual([
      'auth.login',
      'auth.passkey_login',
      'auth.passkey_login_options',
      'auth.password_forgot',
    ]);
    for (const { method, path } of open)
      for (const Origin of [
        undefined,
        'null',
        'https://evil.example',
        `${rig.url}.evil.example`,
        `${rig.url}/`,
      ]) {
        const browser = new Browser(rig);
        const body = { username: 'ada', password: PASSWORD };
        const answer = await browser.send(method, path, { body, headers: { Origin } });
        expect(answer).toMatchObject({ status: 403, body: { code: 'operation_not_permitted' } });
        expect(answer.headers.getSetCookie()).toEqual([]);
        expect(answer.headers.get('access-control-allow-origin')).toBeNull();
      }
  });

  it('AC-038: a form is no JSON, also where its origin were believed, and what is long is not read', async () => {
    const rig = await rigOf();
    const browser = new Browser(rig);
    const form = { username: 'ada', password: PASSWORD };
    expect((await browser.send('POST', '/v1/auth/login', { form })).status).toBe(415);
    // Nor is much read of whoever is nobody.
    const long = { username: 'ada', password: 'x'.repeat(20_000) };
    expect((await browser.send('POST', '/v1/auth/login', { body: long })).status).toBe(413);
    const reset = { token: 'A'.repeat(43), password: 'x'.repeat(20_000) };
    expect((await browser.send('POST', '/v1/auth/password/reset', { form: reset })).status).toBe(413);
  });

  it('AC-038: a session that was planted in a browser is not the one that its person signs in to, and ends', async () => {
    const rig = await rigOf();
    const attacker = new Browser(rig);
    await attacker.signIn('ada', PASSWORD);
    const planted = attacker.cookie;
    const victim = new Browser(rig);
    victim.cookie = planted;
    await victim.signIn('ada', PASSWORD);
    expect(victim.cookie).not.toBe(planted);
    expect((await attacker.send('GET', '/v1/auth/me')).status).toBe(401);
    const made = new Browser(rig);
    const [name = ''] = planted.split('=');
    made.cookie = `${name}=${'A'.repeat(43)}`;
    await made.signIn('ada', PASSWORD);
    expect(made.cookie).not.toContain('A'.repeat(43));
  });

  it('AC-036 AC-017: whether a name or an address is somebody’s is not told', async () => {
    const rig = await rigOf();
    const ada = new Browser(rig);
    await ada.signIn('ada', PASSWORD);
    const person = { name: 'bob', role: 'operator', password: WRONG };
    const { body: bob } = await ada.send('POST', '/v1/admin/operators', { body: person });
    const access = { expected_revision: 1, role: 'operator', enabled: false };
    await ada.send('POST', `/v1/admin/operators/${String(bob['id'])}/access`, { body: access });
    const answers = new Set<string>();
    for (const name of ['ada', 'bob', 'nobody', 'x'.repeat(200), '../ada', 'ada\u0000']) {
      const { status, body, headers } = await new Browser(rig).signIn(name, WRONG);
      answers.add(JSON.stringify([status, { ...body, request_id: '' }, headers.getSetCookie()]));
    }
    expect([...answers]).toHaveLength(1);
    expect([...answers][0]).toContain('the name or the password is wrong');
    const browser = new Browser(rig);
    const forgot = async (email: string) => {
      const { status, body } = await browser.send('POST', '/v1/auth/password/forgot', { body: { email } });
      return { status, body };
    };
    expect(await forgot('ada@example.com')).toEqual(await forgot('nobody@example.com'));
  });

  it('AC-036: whatever a client says of its way here, five tries for a name are five', async () => {
    const rig = await rigOf();
    const statuses: number[] = [];
    for (let i = 0; i < 7; i++) {
      const said = `198.51.100.${i}`;
      const headers = {
        'X-Forwarded-For': said,
        Forwarded: `for=${said}`,
        'X-Real-IP': said,
        'CF-Connecting-IP': said,
        'User-Agent': `agent ${i}`,
      };
      // Nor does it matter how the name is spelled.
      const body = { username: i % 2 === 0 ? 'ada' : 'ADA', password: WRONG };
      const { status } = await new Browser(rig).send('POST', '/v1/auth/login', { body, headers });
      statuses.push(status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
    const good = await new Browser(rig).signIn('ada', PASSWORD);
    expect(good.status).toBe(429);
    expect(Number(good.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('AC-045: an address is written to five times a minute at most, however it is spelled', async () => {
    const rig = await rigOf();
    const browser = new Browser(rig);
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) {
      const body = { email: i % 2 === 0 ? 'ada@example.com' : 'ADA@example.com' };
      const headers = { 'X-Forwarded-For': `198.51.100.${i}` };
      statuses.push((await browser.send('POST', '/v1/auth/password/forgot', { body, headers })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  });

  it('AC-036: passwords are tried thirty times a minute in all, and what else there is goes on', async () => {
    const rig = await rigOf();
    const tries = Array.from({ length: 31 }, (_, i) => new Browser(rig).signIn(`name-${i}`, WRONG));
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
    const read = await rig.send('GET', '/v1/projects/default/runs', { token: rig.token(['read']) });
    expect(read.status).toBe(200);
  });

  it('AC-016: behind TLS it is called by its public origin alone, whatever proxies say', async () => {
    const rig = await rigOf({
      accounts: { publicOrigin: ORIGIN, insecureLoopback: false },
      isBehindTls: true,
    });
    const { hostname, port } = new URL(rig.url);
    const status = (path: string, headers: Record<string, string>): Promise<number> =>
      new Promise((resolve, reject) => {
        request({ hostname, port, path, headers }, (response) => {
          response.resume().on('end', () => resolve(response.statusCode ?? 0));
        })
          .on('error', reject)
          .end();
      });
    const Authorization = `Bearer ${rig.token(['read'])}`;
    const runs = '/v1/projects/default/runs';
    for (const Host of ['palisade.example', 'PALISADE.example:443'])
      expect(await status(runs, { Host, Authorization })).toBe(200);
    const foreign = [
      'evil.example',
      'palisade.example.evil.example',
      'palisade.example:8443',
      `127.0.0.1:${port}`,
      'localhost',
      'x@palisade.example',
      'palisade.example/x',
    ];
    for (const Host of foreign)
      for (const path of [runs, '/v1/info', '/v1/auth/password/reset', '/mcp', '/nothing']) {
        const forwarded = { 'X-Forwarded-Host': 'palisade.example', Forwarded: 'host=palisade.example' };
        const answer = await status(path, { Host, Authorization, ...forwarded });
        expect([Host, path, [400, 403].includes(answer)]).toEqual([Host, path, true]);
      }
    expect(await status('/healthz', { Host: '10.0.0.1' })).toBe(200);
  });
});

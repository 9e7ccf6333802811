import { declaredOperations, type Operation, type Scope } from '@palisade/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser, type BrowserAnswer } from '../../test/browser.ts';
import { type HttpRig, httpRig } from '../../test/http-rig.ts';

const PASSWORD = 'correct horse battery';
const ROLES: Readonly<Record<'admin' | 'operator', readonly Scope[]>> = {
  admin: ['read', 'write', 'approve', 'provision', 'system'],
  operator: ['read', 'write', 'approve', 'provision'],
};

const pathOf = ({ path }: Operation): string =>
  path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) => (name === 'project' ? 'default' : 'x'));
const isChange = ({ effect }: Operation): boolean => effect !== 'read';
const isBodied = ({ method }: Operation): boolean => method === 'POST' || method === 'PUT';
const told = ({ status, body }: BrowserAnswer) => ({ status, ...body, request_id: '' });

let rig: HttpRig;
const browsers = new Map<string, Browser>();

/** As a browser sends it, with what a test changes. */
const call = (browser: Browser, operation: Operation, headers: Record<string, string | undefined> = {}) =>
  browser.send(operation.method, pathOf(operation), {
    headers,
    ...(isBodied(operation) ? { body: {} } : {}),
  });

beforeAll(async () => {
  rig = await httpRig({ isShared: true });
  const { identity } = rig.composition;
  await identity.initAdmin({ name: 'admin', password: PASSWORD });
  for (const name of ['admin', 'ended', 'operator']) browsers.set(name, new Browser(rig));
  const of = (name: string): Browser => browsers.get(name) as Browser;
  await of('admin').signIn('admin', PASSWORD);
  const person = { name: 'operator', role: 'operator', password: PASSWORD };
  await of('admin').send('POST', '/v1/admin/operators', { body: person });
  await of('operator').signIn('operator', PASSWORD);
  const ended = of('ended');
  await ended.signIn('operator', PASSWORD);
  const { cookie } = ended;
  await ended.send('POST', '/v1/auth/logout', { body: {} });
  ended.cookie = cookie;
});
afterAll(() => rig.close());

describe('what people may call with their session', () => {
  // What signs out is called by stories of its own.
  const closed = declaredOperations().filter(
    ({ access, id }) => access !== 'anonymous' && access !== 'reporter' && id !== 'auth.logout',
  );

  it.each(closed.map((operation) => [operation.id, operation] as const))(
    'AC-064 AC-038: %s asks for the scope of their role, and when it changes something for a page of this server',
    async (_, operation) => {
      for (const [role, scopes] of Object.entries(ROLES)) {
        const browser = browsers.get(role) as Browser;
        const within = told(await call(browser, operation));
        if (scopes.includes(operation.access as Scope)) {
          expect(within.status).not.toBe(401);
          expect(JSON.stringify(within)).not.toMatch(/it needs the scope|X-CSRF-Token|page of this server/);
        } else
          expect(within).toMatchObject({ status: 403, detail: `it needs the scope ${operation.access}` });
        const own = { 'X-CSRF-Token': browser.csrf };
        const foreign = [
          [{ 'X-CSRF-Token': undefined }, 'X-CSRF-Token'],
          [{ 'X-CSRF-Token': browsers.get(role === 'admin' ? 'operator' : 'admin')?.csrf }, 'X-CSRF-Token'],
          [{ 'X-CSRF-Token': `${browser.csrf}x` }, 'X-CSRF-Token'],
          [{ ...own, Origin: undefined }, 'page of this server'],
          [{ ...own, Origin: 'null' }, 'page of this server'],
          [{ ...own, Origin: rig.url.replace('127.0.0.1', 'localhost') }, 'page of this server'],
          [{ ...own, Origin: `${rig.url}.evil.example` }, 'page of this server'],
        ] as const;
        for (const [headers, why] of foreign) {
          const answer = told(await call(browser, operation, headers));
          // What reads is told no page of anybody else either: no answer allows one to look at it.
          if (!isChange(operation)) expect(answer.status).toBe(within.status);
          else {
            expect(answer).toMatchObject({ status: 403, code: 'operation_not_permitted' });
            expect(JSON.stringify(answer)).toContain(why);
          }
        }
      }
    },
  );

  it('AC-016 AC-017: a session that ended, or never was, is answered as no credential is, whatever is asked', async () => {
    const nobody = new Browser(rig);
    const ended = browsers.get('ended') as Browser;
    const [name = ''] = ended.cookie.split('=');
    const never = new Browser(rig);
    const answers = new Set<string>();
    for (const operation of [...closed, ...declaredOperations().filter(({ id }) => id === 'auth.logout')]) {
      never.cookie = `${name}=${'A'.repeat(43)}`;
      never.csrf = ended.csrf;
      for (const browser of [nobody, ended, never])
        answers.add(JSON.stringify(told(await call(browser, operation))));
    }
    expect([...answers]).toHaveLength(1);
    expect([...answers][0]).toContain('"help_path":"/v1/help/authentication"');
  });

  it('a token decides where a cookie stands beside it', async () => {
    const admin = browsers.get('admin') as Browser;
    const account = (token: string) =>
      admin.send('GET', '/v1/admin/operators', { headers: { Authorization: `Bearer ${token}` } });
    expect((await account(rig.token(['read']))).status).toBe(403);
    expect((await account('unknown')).status).toBe(401);
    const queue = '/v1/projects/default/queues/q';
    // Nor does it need what a page sends.
    const set = await rig.send('PUT', queue, {
      token: rig.token(['provision']),
      key: 'k',
      body: { concurrency: 2 },
      headers: { Cookie: admin.cookie },
    });
    expect(set.status).toBe(200);
    const me = { headers: { Authorization: `Bearer ${rig.token(['read'])}` } };
    expect((await admin.send('GET', '/v1/auth/me', me)).status).toBe(403);
  });

  it('AO-128: a session opens no tools', async () => {
    const admin = browsers.get('admin') as Browser;
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect((await admin.send('POST', '/mcp', { body: message })).status).toBe(401);
  });
});

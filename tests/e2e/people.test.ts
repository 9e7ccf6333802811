import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Browser } from '../../packages/server/test/browser.ts';
import { makeRepository, palisade, removeInstallation } from '../support/installation.ts';
import { eachInstallationDatabase } from '../support/installation-database.ts';
import { served } from '../support/served.ts';

const FIRST = 'correct horse battery';
const SECOND = 'staple of another kind';

eachInstallationDatabase('people of an installation', (make) => {
  it('AC-034 AC-049 AO-175 AO-177: the first administrator and a lost password are matters of the host, also while it serves', {
    timeout: 120_000,
  }, async () => {
    const { env } = await make();
    const root = makeRepository({ 'a.txt': 'one\n' });
    onTestFinished(() => removeInstallation(root));
    const server = await served(root, env);
    // A server that is configured has nothing to do with it, and is not asked.
    const host = { ...env, PALISADE_SERVER: 'http://127.0.0.1:1' };
    const pal = (args: readonly string[], password: string) =>
      palisade(root, [...args, '--password-stdin', '--json'], host, `${password}\n`);
    const init = ['init-admin', '--username', 'ada'];
    expect((await pal(init, 'short')).code).toBe(2);
    const made = await pal(init, FIRST);
    expect(made, made.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(made.stdout)).toMatchObject({ name: 'ada', kind: 'human', role: 'admin' });
    const again = await pal(['init-admin', '--username', 'eve'], FIRST);
    expect(again.code).toBe(5);
    expect(again.stdout).toContain('already_exists');

    const browser = new Browser(server);
    expect(await browser.signIn('ada', FIRST)).toMatchObject({
      status: 200,
      body: { actor: { name: 'ada' } },
    });
    const queue = { body: { concurrency: 3 } };
    expect((await browser.send('PUT', '/v1/projects/default/queues/slow', queue)).status).toBe(200);

    const recover = ['recover-operator-password', '--username', 'ada', '--reason', 'lost it'];
    expect((await pal([...recover.slice(0, 2), 'eve', ...recover.slice(3)], SECOND)).code).toBe(2);
    const recovered = await pal(recover, SECOND);
    expect(recovered, recovered.stderr).toMatchObject({ code: 0 });
    expect((await browser.send('GET', '/v1/auth/me')).status).toBe(401);
    expect((await browser.signIn('ada', FIRST)).status).toBe(401);
    expect((await browser.signIn('ada', SECOND)).status).toBe(200);
    const { body } = await browser.send('GET', '/v1/admin/audit');
    expect(body['data']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          action: 'operator.password_recovered',
          actor: 'system:host',
          principal: null,
          initiator_kind: 'host_operator',
          reason: 'lost it',
        }),
      ]),
    );
    const engineLog = join(root, '.palisade', 'engine.log');
    const told = [made, again, recovered].map(({ stdout, stderr }) => stdout + stderr).join('');
    const logs = `${told}${server.log()}${readFileSync(engineLog, { encoding: 'utf8', flag: 'a+' })}`;
    for (const secret of [FIRST, SECOND, browser.cookie.split('=')[1]]) expect(logs).not.toContain(secret);
  });
});

it('AC-038: behind TLS nothing is served before it is said by which origin', async () => {
  const root = makeRepository({ 'a.txt': 'one\n' });
  onTestFinished(() => removeInstallation(root));
  const serve = (...args: string[]) => palisade(root, ['serve', '--listen', '127.0.0.1:0', ...args]);
  const unsaid = await serve('--behind-tls');
  expect(unsaid.code).toBe(6);
  expect(unsaid.stderr).toContain('--public-origin');
  for (const wrong of [
    'http://palisade.example',
    'palisade.example',
    'https://palisade.example/x',
    'ftp://x',
  ])
    expect((await serve('--public-origin', wrong)).code).toBe(2);
  expect((await serve('--behind-tls', '--public-origin', 'http://localhost:7420')).code).toBe(2);
});

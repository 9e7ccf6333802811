import { realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { git, makeRepository, palisade, removeInstallation } from '../support/installation.ts';
import { eachInstallationDatabase } from '../support/installation-database.ts';
import { place } from '../support/place.ts';
import { served } from '../support/served.ts';

eachInstallationDatabase('a served control plane', (make) => {
  it('runs a plan from another directory, shows only what a credential may see, and ends when it is told to', {
    timeout: 180_000,
  }, async () => {
    const database = await make();
    const { root, home, env: away } = place();
    const own = { ...database.env, ...away };
    const server = await served(root, own);
    // FF-026: keys are there by now, and git sees nothing of ours.
    expect(git(root, 'add', '-A', '-n')).toBe('');
    // Whoever has the control plane's own files issues the first credential.
    const issued = await palisade(root, ['principal', 'create', 'ci', '--json'], own);
    const { token, credential } = JSON.parse(issued.stdout) as { token: string; credential: { id: string } };
    const file = join(home, 'token');
    writeFileSync(file, `${token}\n`);
    const pal = (...args: string[]) => palisade(home, args, { ...away, PALISADE_SERVER: server.url });
    expect((await pal('status')).code).toBe(3);
    const signedIn = await pal('login', server.url, '--file', file, '--json');
    expect(JSON.parse(signedIn.stdout)).toMatchObject({ server: server.url });

    writeFileSync(
      join(home, 'plan.json'),
      JSON.stringify({
        items: [
          { id: 'a', command: 'echo one > a.txt' },
          {
            id: 'b',
            command: 'grep one a.txt',
            needs: { work: { from: 'a', select: { kind: 'patch' }, apply: true } },
          },
        ],
      }),
    );
    const ran = await pal('run', 'plan.json', '--json');
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    const bundle = join(home, 'bundle.json');
    const trust = join(home, 'trust.json');
    expect((await pal('evidence', 'export', '-', '-o', bundle)).code).toBe(0);
    expect((await pal('evidence', 'trust-root', '-o', trust)).code).toBe(0);
    const verdict = await palisade(home, ['verify', bundle, '--trust', trust], away);
    expect(verdict.stdout).toContain('TAMPER-DETECTING');
    expect(verdict.code).toBe(0);

    // What is known of the repository that is served is asked for from anywhere.
    const asked = await pal('api', 'repo.risk');
    expect(asked, asked.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('"indexed"') });

    // A credential that reads and writes keeps no secrets, and reads no repository but what is served.
    expect((await pal('secret', 'list')).code).toBe(4);
    const elsewhere = makeRepository({ 'secret.txt': 'x\n' });
    onTestFinished(() => rmSync(elsewhere, { recursive: true, force: true }));
    expect(await pal('run', 'plan.json', '--repo', elsewhere)).toMatchObject({ code: 4 });
    const unsafe = await pal('run', 'plan.json', '--sandbox', 'process', '--json');
    expect(unsafe.code).toBe(6);

    expect((await palisade(root, ['credential', 'revoke', credential.id], own)).code).toBe(0);
    expect((await pal('status')).code).toBe(3);
    server.child.kill('SIGTERM');
    expect(await server.exit).toBe(0);
    expect(server.log()).not.toContain(token);
  });
});

it('refuses to be reached from outside without TLS, and says what an address that is taken is', async () => {
  const root = makeRepository({ 'a.txt': 'one\n' });
  onTestFinished(() => removeInstallation(root));
  const open = await palisade(root, ['serve', '--listen', '0.0.0.0:0']);
  expect(open.code).toBe(6);
  expect(open.stderr).toContain('--behind-tls');
  expect((await palisade(root, ['serve', '--listen', 'nowhere'])).code).toBe(2);
  const first = await served(root, {});
  expect(first.log()).toContain(`note: control plane created in ${realpathSync(root)} (pal init)\n`);
  const taken = await palisade(root, ['serve', '--listen', new URL(first.url).host]);
  expect(taken.stderr).toContain('EADDRINUSE');
  expect(taken.code).toBe(1);
});

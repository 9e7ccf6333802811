import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { palisade } from '../support/installation.ts';
import { place } from '../support/place.ts';
import { served } from '../support/served.ts';

const secretOf = (value: string) =>
  JSON.stringify({ items: [{ id: 'a', command: `test "$FRUIT" = ${value}`, inputs: { env: 'e' } }] });

it('AC-004 AC-005: a directory of its own has projects too: --project, a variable or a committed file chooses one', async () => {
  const { root, env } = place();
  const pal = (...args: string[]) => palisade(root, args, env);
  expect(await pal('init')).toMatchObject({ code: 0 });
  expect(await pal('project', 'create', 'web-shop', '--title', 'Web shop')).toMatchObject({ code: 0 });
  for (const [project, value] of [
    ['default', 'apple'],
    ['web-shop', 'pear'],
  ] as const) {
    writeFileSync(join(root, 'fruit'), value);
    writeFileSync(join(root, 'plan.json'), secretOf(value));
    const within = (...args: string[]) => pal('--project', project, ...args);
    expect(await within('env', 'register', 'e', '--secret-file', 'FRUIT=fruit')).toMatchObject({ code: 0 });
    const ran = await within('run', 'plan.json', '--run-id', 'fruit', '--empty', '--json');
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
  }
  const runs = async (env_: Record<string, string>) =>
    (await palisade(root, ['status', '--format', 'id'], { ...env, ...env_ })).stdout.trim();
  expect(await runs({})).toBe('fruit');
  expect(await runs({ PALISADE_PROJECT: 'web-shop' })).toBe('web-shop~fruit');
  writeFileSync(join(root, '.palisade.toml'), 'project = "web-shop"\n');
  expect(await runs({})).toBe('web-shop~fruit');
  expect((await pal('show', 'fruit', '--json')).stdout).toContain('web-shop~fruit');
  const absent = await pal('--project', 'nothing', 'status');
  expect(absent.stderr).toContain('there is no project nothing');
  expect(absent.code).toBe(2);
}, 180_000);

it('AC-069 AC-070 EX-020: a served project is an agent’s own with a credential of it, and archived it is read alone', async () => {
  const { root, home, env } = place();
  const server = await served(root, env);
  const own = (...args: string[]) => palisade(root, args, env);
  expect(await own('project', 'create', 'web-shop')).toMatchObject({ code: 0 });
  const issued = await own('principal', 'create', 'helper', '--only-project', 'web-shop', '--json');
  const { token } = JSON.parse(issued.stdout) as { token: string };
  writeFileSync(
    join(home, 'plan.json'),
    JSON.stringify({ items: [{ id: 'a', command: 'echo done > a.txt' }] }),
  );
  const away = { ...env, PALISADE_SERVER: server.url, PALISADE_TOKEN: token, PALISADE_PROJECT: 'web-shop' };
  const pal = (...args: string[]) => palisade(home, args, away);
  const ran = await pal('run', 'plan.json', '--json');
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  expect((await pal('artifact', 'get', '-/a', '-o', join(home, 'a.patch'))).code).toBe(0);
  expect((await pal('project', 'list', '--format', 'id')).stdout.trim()).toBe('web-shop');
  const said = async (key: string) =>
    (await pal('--project', key, 'status')).stderr.replaceAll(key, 'KEY').replaceAll(/req_[0-9a-f]+/g, 'req');
  expect(await said('default')).toBe(await said('nothing'));
  expect(await own('project', 'archive', 'web-shop', '--reason', 'sold')).toMatchObject({ code: 0 });
  const refused = await pal('run', 'plan.json');
  expect(refused.stderr).toContain('archived');
  expect(refused.code).toBe(5);
  expect((await pal('status', '--format', 'id')).stdout.trim()).toMatch(/^run_/);
  expect(await own('project', 'restore', 'web-shop', '--reason', 'back')).toMatchObject({ code: 0 });
  expect(await pal('run', 'plan.json')).toMatchObject({ code: 0 });
  server.child.kill('SIGTERM');
  await server.exit;
}, 180_000);

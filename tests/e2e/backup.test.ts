import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { Browser } from '../../packages/server/test/browser.ts';
import {
  type CliResult,
  makeRepository,
  palisade,
  removeInstallation,
  until,
} from '../support/installation.ts';
import { eachInstallationDatabase, freshDatabase } from '../support/installation-database.ts';
import { place } from '../support/place.ts';
import { served } from '../support/served.ts';

const FIRST = 'correct horse battery';
const SECOND = 'staple of another kind';
const SECRET = 'hush-hush-hush';

const answer = ({ code, stdout, stderr }: CliResult): Record<string, unknown> => {
  expect(code, stdout + stderr).toBe(0);
  return JSON.parse(stdout) as Record<string, unknown>;
};

it('AC-277 AO-180…AO-197: a served control plane is backed up, lost, restored elsewhere, and goes on as what it was', {
  timeout: 240_000,
}, async () => {
  const { root, env } = place();
  const base = mkdtempSync(join(tmpdir(), 'palisade-safe-'));
  onTestFinished(() => {
    removeInstallation(base);
  });
  const pal = (args: readonly string[], input?: string) => palisade(root, [...args, '--json'], env, input);
  answer(await pal(['init']));
  answer(await pal(['init-admin', '--username', 'ada', '--password-stdin'], `${FIRST}\n`));
  const create = ['principal', 'create', 'ci', '--kind', 'service', '--scope', 'read'];
  const { token } = answer(await pal(create)) as { token: string };
  answer(await pal(['secret', 'put', 'token', '--file', '-'], SECRET));
  answer(await pal(['env', 'register', 'base', '--secret', 'TOKEN=secret:token']));
  const opens = { id: 'a', command: `test "$TOKEN" = ${SECRET}`, inputs: { env: 'base' } };
  const plan = join(root, 'plan.json');
  writeFileSync(plan, JSON.stringify({ items: [opens, { id: 'b', command: 'echo two > b.txt' }] }));
  const marker = join(base, 'marker');
  const flight = join(root, 'flight.json');
  const command = `echo begun >> ${marker}; sleep 300`;
  writeFileSync(flight, JSON.stringify({ items: [{ id: 'a', command, retry: { max_attempts: 3 } }] }));
  const run = (file: string, id: string) => pal(['run', file, '--run-id', id, '--sandbox', 'process']);

  const server = await served(root, env);
  answer(await run(plan, 'done'));
  answer(await pal(['run', flight, '--run-id', 'flight', '--sandbox', 'process', '--detach']));
  await until('the attempt to begin', async () => existsSync(marker));
  const repository = join(base, 'snapshots-of-it');
  const made = answer(await pal(['backup', '--repository', repository])) as { snapshot_path: string };
  const keys = join(base, 'keys');
  expect((await pal(['backup-verify', '--snapshot', made.snapshot_path])).code).toBe(0);
  // What happens after the snapshot is not known in it.
  answer(await run(plan, 'later'));
  const withToken = (url: string) =>
    fetch(`${url}/v1/projects/default/runs`, { headers: { Authorization: `Bearer ${token}` } });
  expect((await withToken(server.url)).status).toBe(200);
  answer(await pal(['cancel', 'flight']));
  server.child.kill('SIGTERM');
  await server.exit;

  // The machine is gone; its keys were kept elsewhere.
  renameSync(join(root, '.palisade'), keys);
  const destination = join(base, 'restored');
  const restore = [
    'restore',
    '--snapshot',
    made.snapshot_path,
    '--destination',
    destination,
    '--reason',
    'the disk died',
  ];
  const without = await palisade(base, [...restore, '--json'], env);
  expect([without.code, without.stdout]).toEqual([6, expect.stringContaining('master, signing')]);
  const restored = answer(await palisade(base, [...restore, '--keys', keys, '--json'], env));
  expect(restored).toMatchObject({
    data_directory: destination,
    invalidated: { credentials_revoked: 1, people_disabled: 1, runs_paused: 1 },
  });
  const there = (args: readonly string[], input?: string) =>
    palisade(destination, [...args, '--json'], env, input);

  const again = await served(destination, env);
  expect((await withToken(again.url)).status).toBe(401);
  const browser = new Browser(again);
  expect((await browser.signIn('ada', FIRST)).status).toBe(401);
  const recover = [
    'recover-operator-password',
    '--username',
    'ada',
    '--reason',
    'restored',
    '--password-stdin',
  ];
  answer(await there(recover, `${SECOND}\n`));
  expect((await browser.signIn('ada', FIRST)).status).toBe(401);
  expect((await browser.signIn('ada', SECOND)).status).toBe(200);

  // Evidence from before verifies there, with the trust root it has there, and what comes is sealed and verifies too.
  expect((await there(['verify', 'done'])).code).toBe(0);
  expect((await there(['status'])).stdout).not.toContain('later');
  // Secrets open, and runs go on.
  const fresh = join(destination, 'plan.json');
  writeFileSync(fresh, JSON.stringify({ items: [opens] }));
  answer(await there(['run', fresh, '--run-id', 'fresh', '--sandbox', 'process']));
  expect((await there(['verify', 'fresh'])).code).toBe(0);

  // What was under way is not begun again by itself, only when somebody says so.
  await delay(3_000);
  expect(readFileSync(marker, 'utf8')).toBe('begun\n');
  expect(answer(await there(['show', 'flight']))).toMatchObject({ run: { paused: { by: 'system:host' } } });
  answer(await there(['resume', 'flight']));
  await until('it to begin again', async () => readFileSync(marker, 'utf8') === 'begun\nbegun\n');
  answer(await there(['cancel', 'flight']));
  // A restart does none of this again (AC-278).
  again.child.kill('SIGTERM');
  await again.exit;
  const third = await served(destination, env);
  expect((await new Browser(third).signIn('ada', SECOND)).status).toBe(200);
});

eachInstallationDatabase('a database that was restored by its own means', (make, dialect) => {
  const has = (program: string) => spawnSync(program, ['--version']).status === 0;
  it.skipIf(dialect === 'postgres' && !(has('pg_dump') && has('pg_restore')))(
    'AC-277: is invalidated by a command on the host, where it is PostgreSQL, and goes on as what it was',
    { timeout: 120_000 },
    async () => {
      const { env } = await make();
      const root = makeRepository({ 'a.txt': 'one\n' });
      onTestFinished(() => removeInstallation(root));
      const pal = (args: readonly string[], input?: string) =>
        palisade(root, [...args, '--json'], env, input);
      answer(await pal(['init']));
      answer(await pal(['init-admin', '--username', 'ada', '--password-stdin'], `${FIRST}\n`));
      const backup = await pal(['backup', '--repository', join(root, 'snapshots-of-it')]);
      if (dialect === 'sqlite') {
        answer(backup);
        const invalidated = await pal(['invalidate-restored', '--reason', 'the disk died', '--yes']);
        expect([invalidated.code, invalidated.stdout]).toEqual([
          6,
          expect.stringContaining('palisade restore'),
        ]);
        return;
      }
      expect([backup.code, backup.stdout]).toEqual([6, expect.stringContaining('pg_dump')]);
      const plan = join(root, 'plan.json');
      writeFileSync(plan, JSON.stringify({ items: [{ id: 'a', command: 'echo two > a.txt' }] }));
      const run = (id: string) => pal(['run', plan, '--run-id', id, '--sandbox', 'process']);
      answer(await run('done'));

      const copy = mkdtempSync(join(tmpdir(), 'palisade-copy-'));
      onTestFinished(() => removeInstallation(copy));
      const planes = join(root, '.palisade/planes');
      const url = env['PALISADE_DATABASE_URL'] ?? '';
      cpSync(planes, join(copy, 'planes'), { recursive: true });
      execFileSync('pg_dump', ['--format=custom', '--file', join(copy, 'database'), url]);
      cpSync(planes, join(copy, 'planes'), { recursive: true });
      answer(await run('later'));

      const to = await freshDatabase(process.env['PALISADE_TEST_POSTGRES'] ?? '');
      const restored = to['PALISADE_DATABASE_URL'] ?? '';
      execFileSync('pg_restore', ['--single-transaction', '--dbname', restored, join(copy, 'database')]);
      const place = join(copy, 'new');
      mkdirSync(join(place, '.palisade'), { recursive: true, mode: 0o700 });
      for (const key of ['master.key', 'signer.key'])
        cpSync(join(root, '.palisade', key), join(place, '.palisade', key));
      for (const id of readdirSync(join(copy, 'planes')))
        cpSync(join(copy, 'planes', id, 'blobs'), join(place, '.palisade/planes', id, 'blobs'), {
          recursive: true,
        });
      const there = (args: readonly string[]) => palisade(place, [...args, '--json'], { ...env, ...to });
      const invalidate = ['invalidate-restored', '--reason', 'the disk died'];
      // What the engine of then held runs out first.
      await until('nobody to hold anything there', async () => {
        const { code } = await there([...invalidate, '--dry-run']);
        expect([0, 7]).toContain(code);
        return code === 0;
      });
      expect((await there(invalidate)).code).toBe(2);
      expect(answer(await there([...invalidate, '--yes']))).toMatchObject({ people_disabled: 1 });
      expect((await there(['verify', 'done'])).code).toBe(0);
      expect((await there(['diff', 'done'])).code).toBe(0);
      expect((await there(['show', 'later'])).code).toBe(2);
    },
  );
});

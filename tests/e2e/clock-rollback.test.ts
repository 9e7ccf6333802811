import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { palisade, until } from '../support/installation.ts';
import { place } from '../support/place.ts';
import { served } from '../support/served.ts';

/** By how much the clock will have gone back when the server starts. */
const AHEAD_MS = 20_000;

it('AC-275, AO-202: a server whose clock went back grants nothing, shows everything, and goes on once it is told that it is right', {
  timeout: 180_000,
}, async () => {
  const { root, home, env } = place();
  await palisade(root, ['init'], env);
  const create = ['principal', 'create', 'admin', '--kind', 'service'];
  const scopes = ['read', 'write', 'system'].flatMap((scope) => ['--scope', scope]);
  const issued = await palisade(root, [...create, ...scopes, '--json'], env);
  const { token, credential } = JSON.parse(issued.stdout) as { token: string; credential: { id: string } };
  writeFileSync(join(home, 'token'), token, { mode: 0o600 });
  const plan = join(root, 'plan.json');
  writeFileSync(plan, JSON.stringify({ items: [{ id: 'a', command: 'true' }] }));
  expect((await palisade(root, ['run', plan, '--run-id', 'before'], env)).code).toBe(0);

  // As if every process had ended, and the machine had come back with its clock set back.
  const file = new DatabaseSync(join(root, '.palisade/palisade.db'));
  file.prepare('UPDATE kernel_clock SET now = ?').run(Date.now() + AHEAD_MS);
  file.close();

  const server = await served(root, env);
  const { url } = server;
  const outside = { ...env, PALISADE_SERVER: url };
  const from = (...args: string[]) => palisade(home, args, outside);
  expect((await from('login', url, '--file', join(home, 'token'))).code).toBe(0);
  const clock = async () => JSON.parse((await from('clock', '--json')).stdout) as { status: string };
  await until(
    'the server to see it',
    async () => (await clock()).status === 'clock_reconciliation' || undefined,
  );

  const refused = await palisade(home, ['run', plan, '--run-id', 'meanwhile', '--json'], outside);
  expect(refused.code).toBe(5);
  expect(refused.stdout + refused.stderr).toContain('clock_reconciliation_required');
  expect(refused.stdout + refused.stderr).toContain('recover-clock');
  expect((await from('status', '--json')).stdout).toContain('before');
  const early = await from('recover-clock', '--reason', 'set right', '--json');
  expect(early.stdout + early.stderr).toContain('clock_still_untrusted');
  // What takes authority away is done.
  const other = await palisade(root, ['credential', 'revoke', credential.id, '--dry-run'], env);
  expect(other.code).toBe(0);

  await delay(AHEAD_MS);
  expect(await clock()).toMatchObject({ status: 'clock_reconciliation' });
  const recovered = await from('recover-clock', '--reason', 'the battery was changed', '--json');
  expect(recovered.code, recovered.stderr).toBe(0);
  expect(JSON.parse(recovered.stdout)).toMatchObject({
    status: 'trusted',
    incident: { recovered_by: 'service:admin', recovery_reason: 'the battery was changed' },
  });
  const after = await from('run', plan, '--run-id', 'after', '--json');
  expect(after.code, after.stdout + after.stderr + server.log().slice(-2_000)).toBe(0);
});

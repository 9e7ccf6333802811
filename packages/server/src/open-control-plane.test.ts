import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cancelRun, getRun, listRuns, submitPlan } from '@palisade/contracts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openControlPlane } from './open-control-plane.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'palisade-open-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true });
});

test('DI-194: while the policy cannot be read nothing is admitted, and what there is can be seen and stopped', async () => {
  const policy = join(directory, 'policy.json');
  const open = () => openControlPlane({ directory, create: true, environment: { PALISADE_POLICY: policy } });
  const plan = { items: [{ id: 'a', command: 'true' }] };
  writeFileSync(policy, JSON.stringify({ schema_version: 1 }), { mode: 0o600 });
  const before = await open();
  await before.call(submitPlan, { run_id: 'r', plan, sandbox: 'process' });
  await before.close();
  writeFileSync(policy, '{');
  const plane = await open();
  try {
    await expect(plane.call(submitPlan, { plan, sandbox: 'process' })).rejects.toMatchObject({
      code: 'invalid_input',
      message: `the policy ${policy} is not JSON or cannot be read`,
    });
    expect((await plane.call(listRuns, {})).data.map(({ id }) => id)).toEqual(['r']);
    expect(await plane.call(cancelRun, { run: 'r' })).toMatchObject({ accepted: true });
    expect((await plane.call(getRun, { run: 'r' })).run.cancel_requested).toBeDefined();
  } finally {
    await plane.close();
  }
});

test('a control plane whose database cannot be opened leaves nothing behind that would pass for one', async () => {
  vi.stubEnv('PALISADE_DATABASE_URL', 'postgres://palisade@nowhere.invalid/palisade');
  const open = openControlPlane({ directory, create: true });
  await expect(open).rejects.toMatchObject({ code: 'requirements_unmet' });
  expect(readdirSync(directory)).toEqual([]);
  await expect(openControlPlane({ directory })).rejects.toMatchObject({ code: 'not_initialized' });
});

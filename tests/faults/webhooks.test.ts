import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPalisadeError, listDeliveries, setWebhook, submitPlan, WEBHOOK_POINTS } from '@palisade/contracts';
import type { ControlPlane } from '@palisade/server';
import { afterEach, expect, it } from 'vitest';
import { Receiver } from '../../packages/automation/test/receiver.ts';
import {
  ended,
  makeRepository,
  openAt,
  palisade,
  removeInstallation,
  startEngine,
  until,
} from '../support/installation.ts';
import { eachInstallationDatabase, type InstallationDatabase } from '../support/installation-database.ts';
import { planFile } from '../support/plan-file.ts';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
/** Claims of the dead run out after this long, at the least that an attempt needs. */
const LEASE = { PALISADE_LEASE_MS: '500' };
const plan = {
  notifications: [{ when: ['run.completed', 'run.failed'], endpoint: 'ops' }],
  items: [{ id: 'a', command: 'echo one >> a.txt' }],
};

eachInstallationDatabase('webhooks of an installation', (makeDatabase) => {
  let root = '';
  let plane: ControlPlane;
  let database: InstallationDatabase;
  afterEach(async () => {
    await plane.close();
    removeInstallation(root);
  });

  async function installation(receiver: Receiver): Promise<void> {
    root = makeRepository({ 'a.txt': 'zero\n' });
    database = await makeDatabase();
    plane = await database.within(() => openAt(root));
    await plane.call(setWebhook, {
      name: 'ops',
      url: receiver.url(),
      secret: SECRET,
      allow_private: true,
    });
  }

  for (const point of ['complete.before-commit', ...WEBHOOK_POINTS] as const) {
    it(`DI-083: killed at ${point}, the message arrives under one id, also with two engines after it`, {
      timeout: 120_000,
    }, async () => {
      const receiver = await Receiver.open(204);
      await installation(receiver);
      await plane.call(submitPlan, { plan, run_id: 'r', repository: root });
      const sign = join(root, '.git', 'palisade-fault');
      const env = { ...LEASE, PALISADE_FAULT: point, PALISADE_FAULT_SIGN: sign };
      await database
        .within(() => startEngine(plane, env))
        .catch((error: unknown) => {
          if (!isPalisadeError(error, 'start_failed')) throw error;
        });
      await until(`the engine to die at ${point}`, async () => !(await plane.engineLives()));
      expect(readFileSync(sign, 'utf8').trim().split('\n')).toContain(point);
      await database.within(() => Promise.all([startEngine(plane, LEASE), startEngine(plane, LEASE)]));
      expect((await ended(plane, 'r')).run.state).toBe('completed');
      await until(
        'the receipt',
        async () => (await plane.call(listDeliveries, { state: ['delivered'] })).data.length === 1,
      );
      expect(receiver.received).toHaveLength(point === 'webhook.after-answer' ? 2 : 1);
      expect(new Set(receiver.ids).size).toBe(1);
      expect((await plane.call(listDeliveries, {})).data).toHaveLength(1);
      await until('the engine to leave', async () => !(await plane.engineLives()));
    });
  }

  it('DI-083 DI-084: from the command line: set, refused by name, told, given up, listed and replayed', {
    timeout: 120_000,
  }, async () => {
    const receiver = await Receiver.open(410);
    await installation(receiver);
    const pal = (...args: string[]) => palisade(root, args, database.env);
    const wrong = { ...plan, notifications: [{ when: ['run.failed'], endpoint: 'oops' }] };
    const refused = await pal('run', planFile(root, wrong, 'wrong.json'), '--detach');
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('there is no webhook endpoint "oops"; the nearest is "ops"'),
    ]);
    const kind = { ...plan, notifications: [{ when: ['run.faild'], endpoint: 'ops' }] };
    const unknown = await pal('plan', 'validate', planFile(root, kind, 'kind.json'));
    expect(unknown.stdout).toContain('the nearest is run.failed');
    expect((await pal('run', planFile(root, plan), '--run-id', 'r')).code).toBe(0);
    const listed = await until('the message to be given up', async () => {
      const { stdout } = await pal('webhook', 'deliveries', '--format', 'id');
      return stdout.trim();
    });
    expect((await pal('webhook', 'list')).stdout).toContain('disabled ops');
    expect((await pal('doctor')).stdout).toContain('ops is disabled: it answered that it is gone (410)');
    receiver.answers = [200];
    expect((await pal('webhook', 'set', 'ops')).code).toBe(0);
    expect((await pal('webhook', 'replay', listed)).stdout).toBe('ok       1 message\n');
    await until('the receipt', async () => receiver.received.length === 2);
    expect(receiver.ids).toEqual([listed, listed]);
    const rotated = await pal('webhook', 'set', 'ops', '--secret', 'generated', '--json');
    expect(JSON.parse(rotated.stdout)).toMatchObject({
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      webhook: { key_version: 2 },
    });
    const log = readFileSync(join(root, '.palisade', 'engine.log'), { encoding: 'utf8', flag: 'a+' });
    expect(log).not.toContain('/hook');
  });
});

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPalisadeError, listEvents, submitPlan } from '@palisade/contracts';
import { afterEach, expect, it } from 'vitest';
import {
  ended,
  makeRepository,
  openAt,
  removeInstallation,
  startEngine,
  until,
  verified,
} from '../support/installation.ts';
import { eachInstallationDatabase } from '../support/installation-database.ts';

const PLAN = { items: [{ id: 'a', command: 'echo a > a.txt' }] };
const POINTS = ['authorize.after-decision', 'fire.before-intent#2', 'fire.after-intent'] as const;

eachInstallationDatabase('decisions and crashes', (makeDatabase) => {
  let root = '';
  afterEach(() => removeInstallation(root));

  for (const point of POINTS) {
    for (const then of ['the same', 'another'] as const) {
      it(`DI-194 DI-177: killed at ${point}, nothing is fired without a decision of the policy in force, which is ${then}`, {
        timeout: 120_000,
      }, async () => {
        root = makeRepository({ 'b.txt': 'zero\n' });
        const database = await makeDatabase();
        const sign = join(root, '.git', 'palisade-fault');
        const policy = join(root, '.git', 'policy.json');
        const write = (deny: readonly object[]) =>
          writeFileSync(policy, JSON.stringify({ schema_version: 1, deny }), { mode: 0o600 });
        write([]);
        const env = { ...database.env, PALISADE_POLICY: policy };
        const plane = await database.within(() => openAt(root));
        try {
          const run = 'judged';
          await plane.call(submitPlan, { plan: PLAN, run_id: run, repository: root });
          const fault = { PALISADE_FAULT: point, PALISADE_FAULT_SIGN: sign };
          await startEngine(plane, { ...env, ...fault }).catch((error: unknown) => {
            if (!isPalisadeError(error, 'start_failed')) throw error;
          });
          await until(`the engine to die at ${point}`, async () => !(await plane.engineLives()));
          expect(readFileSync(sign, 'utf8')).toContain(point.split('#')[0]);
          if (then === 'another') write([{ name: 'stopped', phase: 'fire' }]);
          await database.within(() => startEngine(plane, env));
          const { run: view, items } = await ended(plane, run);
          // What was fired before had been allowed, and is not fired again.
          const isDenied = then === 'another' && point !== 'fire.after-intent';
          const { data } = await plane.call(listEvents, { run });
          const fired = data.filter(({ type }) => type === 'item.fired').length;
          const denied = data.filter(({ type }) => type === 'item.denied').length;
          const isRetryDenied = then === 'another' && point === 'fire.after-intent';
          expect([view.state, items[0]?.state, denied]).toEqual(
            isDenied || isRetryDenied ? ['failed', 'denied', 1] : ['completed', 'done', 0],
          );
          expect(fired).toBe(isDenied ? 0 : point === 'fire.after-intent' && !isRetryDenied ? 2 : 1);
          const { report } = await verified(plane, run);
          expect(report.checks.filter((check) => check.ok === false)).toEqual([]);
          expect(report.authz_tier).toBe('recorded');
        } finally {
          await plane.close();
        }
      });
    }
  }
});

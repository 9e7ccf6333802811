import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { extendRun, GROWTH_POINTS, isPalisadeError, submitPlan } from '@palisade/contracts';
import { afterEach, expect, it } from 'vitest';
import {
  ended,
  makeRepository,
  openAt,
  palisade,
  removeInstallation,
  startEngine,
  until,
  verified,
} from '../support/installation.ts';
import { eachInstallationDatabase } from '../support/installation-database.ts';

/** The gate is red until the fix has written what it looks for; then what it kept back is done again. */
const PLAN = {
  open_ended: true,
  items: [
    { id: 'code', command: 'echo draft >> a.txt' },
    {
      id: 'gate',
      command: 'true',
      verify: { command: 'grep -q fixed a.txt' },
      needs: { work: { from: 'code', select: { kind: 'patch' }, apply: true } },
      inputs: {
        gate: { onRed: 'spawn-fix', subject: 'code', fixTemplate: { command: 'echo fixed >> a.txt' } },
      },
    },
    {
      id: 'ship',
      command: 'cp a.txt b.txt',
      depends_on: ['gate'],
      needs: { work: { from: 'code', select: { kind: 'patch' }, apply: true } },
    },
  ],
};
const MORE = { id: 'more', command: 'echo more > more.txt', depends_on: ['code'] };

eachInstallationDatabase('growth and crashes', (makeDatabase) => {
  let root = '';
  afterEach(() => removeInstallation(root));

  for (const point of GROWTH_POINTS) {
    it(`DI-204 DI-205 FF-055: killed at ${point}, a run grows once by everything and ends well`, {
      timeout: 120_000,
    }, async () => {
      root = makeRepository({ 'a.txt': 'zero\n' });
      const database = await makeDatabase();
      const sign = join(root, '.git', 'palisade-fault');
      const env = { ...database.env, PALISADE_FAULT: point, PALISADE_FAULT_SIGN: sign };
      const plane = await database.within(() => openAt(root));
      try {
        const run = 'growing';
        await plane.call(submitPlan, { plan: PLAN, run_id: run, repository: root });
        if (point.startsWith('extend.')) {
          writeFileSync(join(root, '.palisade', 'more.json'), JSON.stringify(MORE));
          const command = ['extend', run, '.palisade/more.json', '--close'];
          const killed = await palisade(root, command, env);
          expect(killed.signal, killed.stderr).toBe('SIGKILL');
          // Whoever saw it die says it again: the items are there once, and the run is closed.
          const again = await palisade(root, ['extend', run, '.palisade/more.json', '--close'], database.env);
          const isThere = point === 'extend.after-commit';
          expect(again.code, again.stderr).toBe(isThere ? 5 : 0);
        } else {
          await plane.call(extendRun, { run, items: [MORE], close: true });
          await startEngine(plane, env).catch((error: unknown) => {
            if (!isPalisadeError(error, 'start_failed')) throw error;
          });
          await until(`the engine to die at ${point}`, async () => !(await plane.engineLives()));
        }
        await database.within(() => startEngine(plane));
        const { run: view, items } = await ended(plane, run);
        expect(Object.fromEntries(items.map((item) => [item.id, item.state]))).toEqual({
          code: 'done',
          gate: 'done',
          ship: 'skipped',
          more: 'done',
          'gate-fix-1': 'done',
          'gate~2': 'done',
          'ship~2': 'done',
        });
        expect(view.state).toBe('completed');
        expect(readFileSync(sign, 'utf8')).toContain(point);
        const { report } = await verified(plane, run);
        expect(report.checks.filter((check) => check.ok === false)).toEqual([]);
      } finally {
        await plane.close();
      }
    });
  }
});

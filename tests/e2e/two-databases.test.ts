import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { submitPlan } from '@palisade/contracts';
import { afterEach, expect, it } from 'vitest';
import {
  attemptsOf,
  ended,
  makeRepository,
  openAt,
  removeInstallation,
  startEngine,
  until,
  verified,
} from '../support/installation.ts';
import { freshDatabase } from '../support/installation-database.ts';
import { enginesOf, workersOf } from '../support/processes.ts';

let root = '';
afterEach(() => removeInstallation(root));

const server = process.env['PALISADE_TEST_POSTGRES'];

it.skipIf(server === undefined)(
  'a project used with SQLite and PostgreSQL at once: each database has its engine, attempts and log',
  { timeout: 120_000 },
  async () => {
    root = makeRepository({ 'a.txt': 'zero\n' });
    const planes = [await openAt(root)];
    Object.assign(process.env, await freshDatabase(server ?? ''));
    try {
      planes.push(await openAt(root));
    } finally {
      delete process.env['PALISADE_DATABASE_URL'];
    }
    const effects = join(root, '.palisade/effects');
    writeFileSync(effects, '');
    const go = join(root, '.palisade/go');
    try {
      for (const [i, plane] of planes.entries()) {
        const command = `echo ${i} >> '${effects}'; until [ -e '${go}' ]; do sleep 0.1; done; echo ${i} > a.txt`;
        const plan = { items: [{ id: 'a', command }] };
        await plane.call(submitPlan, { plan, run_id: 'same', repository: root, sandbox: 'process' });
        await startEngine(plane);
      }
      await until('both agents to run', async () => readFileSync(effects, 'utf8').length === 4);
      expect([enginesOf(root).length, workersOf(root).length, attemptsOf(root).length]).toEqual([2, 2, 2]);
      // Announced again, none of the two takes the other's sign for its own.
      for (const plane of planes) expect(await plane.engineLives()).toBe(true);
      writeFileSync(go, '');

      for (const plane of planes) {
        const { run, items } = await ended(plane, 'same');
        expect([run.state, items[0]?.attempt]).toEqual(['completed', 1]);
        // Both have a leaf 0: in one directory the second log would not be the one its seals are in.
        expect((await verified(plane, 'same')).report.intact).toBe(true);
      }
      expect(readFileSync(effects, 'utf8').trim().split('\n').sort()).toEqual(['0', '1']);
      await until('nothing to be left', async () => attemptsOf(root).length === 0);
    } finally {
      for (const plane of planes) await plane.close();
    }
  },
);

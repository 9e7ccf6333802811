import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  addSchedule,
  getSchedule,
  isPalisadeError,
  listEvents,
  listRuns,
  pauseSchedule,
  SCHEDULE_POINTS,
} from '@palisade/contracts';
import type { ControlPlane } from '@palisade/server';
import { afterEach, expect, it } from 'vitest';
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

const plan = { title: 'crash', items: [{ id: 'a', command: 'echo one >> a.txt' }] };
/** The last due time of `0 0 1 1 *`. */
const SLOT = Date.UTC(new Date().getUTCFullYear(), 0, 1);
const RUN = `yearly@${new Date(SLOT).toISOString().slice(0, 16)}Z`;

eachInstallationDatabase('schedules of an installation', (makeDatabase) => {
  let root = '';
  let plane: ControlPlane;
  let database: InstallationDatabase;
  afterEach(async () => {
    await plane.close();
    removeInstallation(root);
  });

  async function installation(): Promise<void> {
    root = makeRepository({ 'a.txt': 'zero\n' });
    database = await makeDatabase();
    plane = await database.within(() => openAt(root));
  }

  const makeDue = () =>
    database.tamper(root, `UPDATE schedules SET next_slot = ${SLOT}, try_at = ${SLOT} WHERE name = 'yearly'`);
  const runs = async () => (await plane.call(listRuns, {})).data.map(({ id }) => id);

  for (const point of SCHEDULE_POINTS) {
    it(`DI-210: killed at ${point}, a due time has exactly one run, also with two engines after it`, {
      timeout: 120_000,
    }, async () => {
      await installation();
      await plane.call(addSchedule, {
        name: 'yearly',
        cron: '0 0 1 1 *',
        submission: { plan, repository: root },
      });
      await makeDue();
      const sign = join(root, '.git', 'palisade-fault');
      const env = { PALISADE_FAULT: point, PALISADE_FAULT_SIGN: sign };
      await database
        .within(() => startEngine(plane, env))
        .catch((error: unknown) => {
          if (!isPalisadeError(error, 'start_failed')) throw error;
        });
      await until(`the engine to die at ${point}`, async () => !(await plane.engineLives()));
      expect(readFileSync(sign, 'utf8').trim().split('\n')).toContain(point);
      expect(await runs()).toEqual(point === 'schedule.after-commit' ? [RUN] : []);
      await database.within(() => Promise.all([startEngine(plane), startEngine(plane)]));
      await until('the run', async () => (await runs()).length > 0);
      expect((await ended(plane, RUN)).run.state).toBe('completed');
      expect(await runs()).toEqual([RUN]);
      const { data } = await plane.call(listEvents, { run: RUN });
      expect(data[0]?.data).toMatchObject({ schedule: { name: 'yearly', slot: SLOT, covers: 1 } });
      const { schedule, slots } = await plane.call(getSchedule, { name: 'yearly' });
      expect(schedule).toMatchObject({ failures: 0, overdue: false });
      expect(slots).toMatchObject([{ slot: SLOT, outcome: 'submitted', run_id: RUN }]);
    });
  }

  it('DI-210: adding a schedule starts an engine, which stays for it and leaves when it is paused', {
    timeout: 120_000,
  }, async () => {
    await installation();
    const file = planFile(root, plan);
    const added = await palisade(
      root,
      ['schedule', 'add', 'yearly', file, '--cron', '0 0 1 1 *', '--zone', 'Europe/Berlin'],
      database.env,
    );
    expect(added, added.stderr).toMatchObject({ code: 0 });
    expect(added.stdout.match(/^ {9}\d{4}-12-31T23:00:00.000Z$/gm)).toHaveLength(3);
    expect(await plane.engineLives()).toBe(true);
    const since = Date.now();
    await until('an idle engine to have had its time', async () => Date.now() - since > 6_000);
    expect(await plane.engineLives()).toBe(true);
    // The due time of Berlin is an hour before that of UTC.
    const slot = SLOT - 3_600_000;
    await database.tamper(root, `UPDATE schedules SET next_slot = ${slot}, try_at = ${slot}`);
    await until('the run', async () => (await runs()).length > 0);
    const status = await palisade(root, ['status'], database.env);
    expect(status.stdout).toMatch(/^schedules 1 {2}next \d{4}-12-31T23:00:00.000Z$/m);
    await plane.call(pauseSchedule, { name: 'yearly' });
    await until('the engine to leave', async () => !(await plane.engineLives()));
    expect((await palisade(root, ['doctor'], database.env)).stdout).not.toContain('schedules');
    const listed = await palisade(root, ['schedule', 'list'], database.env);
    expect(listed.stdout).toContain('paused   yearly');
  });

  it('DI-210: a schedule without an engine says so, with the command that starts one', {
    timeout: 60_000,
  }, async () => {
    await installation();
    await plane.call(addSchedule, { name: 'yearly', cron: '0 0 1 1 *', submission: { plan } });
    for (const [args, words] of [
      [['status'], 'without an engine; pal schedule resume yearly starts one'],
      [['doctor'], '1 schedule without a live engine'],
    ] as const)
      expect((await palisade(root, args, database.env)).stdout).toContain(words);
    await makeDue();
    const listed = await palisade(root, ['schedule', 'list'], database.env);
    expect(listed.stdout).toContain('overdue  yearly');
    const resumed = await palisade(root, ['schedule', 'resume', 'yearly'], database.env);
    expect(resumed, resumed.stderr).toMatchObject({ code: 0 });
    await until('the run', async () => (await runs()).length > 0);
  });
});

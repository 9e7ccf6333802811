import {
  addSchedule,
  type Caller,
  getSchedule,
  hostCaller,
  listRuns,
  listSchedules,
  pauseSchedule,
  removeSchedule,
  resumeSchedule,
  runScheduleNow,
} from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import { command, engineStarter, migrations, ScriptedExecutor } from '../../test/engine-rig.ts';
import { holdSchedules, Scheduler } from '../index.ts';
import { openDefaultQueue } from '../queues/default-queue.ts';

const HOUR = 3_600_000;
const START = Date.parse('2026-03-01T00:00:30Z');
const plan = { items: [command('a')] };
const outside: Caller = {
  ...hostCaller('service:x'),
  kind: 'service',
  principal: 'prn_x',
  credential: 'crd_x',
};

eachDatabase('schedules of projects', (open) => {
  const start = engineStarter(open);

  async function control() {
    const faults: unknown[] = [];
    const clock = { wall: START };
    const archived = new Set<string>();
    let meanwhile = async (): Promise<void> => {};
    const database = await open({ migrations, wallClock: () => clock.wall });
    const rig = await start(new ScriptedExecutor(), {
      database,
      leaseMs: 100 * HOUR,
      deps: {
        isActive: async (_, project) => !archived.has(project),
        isOffered: async (path) => {
          await meanwhile();
          return path.startsWith('/offered/');
        },
        chooseSandbox: async () => {
          await meanwhile();
          return { name: 'box', isolation: 'sandboxed', warnings: [] };
        },
      },
    });
    await database.write((tx) => openDefaultQueue(tx, 'shop'));
    const scheduler = new Scheduler({
      deps: rig.deps,
      onFault: (error) => faults.push(error),
      wallClock: () => clock.wall,
    });
    const at = async (time: number, failing = 0): Promise<void> => {
      clock.wall = time;
      await scheduler.look();
      await scheduler.settled();
      expect(faults.splice(0)).toHaveLength(failing);
    };
    const runs = async (project: string) =>
      (await rig.ops.call(listRuns, {}, { project })).data.map(({ id }) => id).toSorted();
    /** What happens between the look at a submission and its unit of work, once. */
    const between = (body: () => Promise<void>): void => {
      meanwhile = async () => {
        meanwhile = async () => {};
        await body();
      };
    };
    return { ...rig, database, archived, at, runs, between };
  }

  it('AC-005: two projects have schedules of one name, each with its own due times and runs', async () => {
    const rig = await control();
    for (const [project, cron] of [
      ['default', '0 1 * * *'],
      ['shop', '0 2 * * *'],
    ] as const)
      await rig.ops.call(addSchedule, { name: 'nightly', cron, submission: { plan } }, { project });
    await rig.at(START + HOUR);
    expect([await rig.runs('default'), await rig.runs('shop')]).toEqual([['nightly@2026-03-01T01:00Z'], []]);
    await rig.at(START + 2 * HOUR);
    expect(await rig.runs('shop')).toEqual(['shop~nightly@2026-03-01T02:00Z']);
    await rig.ops.call(removeSchedule, { name: 'nightly' }, { project: 'shop' });
    const left = await rig.ops.call(getSchedule, { name: 'nightly' });
    expect(left.slots).toHaveLength(1);
    expect((await rig.ops.call(listSchedules, {}, { project: 'shop' })).data).toEqual([]);
  });

  it('AC-070: no due time of an archived project comes, and each schedule says what is made up for', async () => {
    const rig = await control();
    const within = { project: 'shop' };
    for (const catch_up of ['skip', 'latest'] as const)
      await rig.ops.call(
        addSchedule,
        { name: catch_up, cron: '0 * * * *', catch_up, submission: { plan } },
        within,
      );
    const hold = (isHeld: boolean) => rig.database.write((tx) => holdSchedules(tx, 'shop', isHeld));
    rig.archived.add('shop');
    await hold(true);
    await rig.at(START + 5 * HOUR);
    expect(await rig.runs('shop')).toEqual([]);
    rig.archived.clear();
    await hold(false);
    await rig.at(START + 5 * HOUR + HOUR / 2);
    expect(await rig.runs('shop')).toEqual(['shop~latest@2026-03-01T05:00Z']);
  });

  it('AC-070: what was found due just before the archiving starts nothing', async () => {
    const rig = await control();
    await rig.ops.call(
      addSchedule,
      { name: 'hourly', cron: '0 * * * *', submission: { plan } },
      { project: 'shop' },
    );
    // The schedule was read as due; the archiving comes before the run is submitted.
    rig.archived.add('shop');
    const look = rig.at(START + HOUR);
    await rig.database.write((tx) => holdSchedules(tx, 'shop', true));
    await look;
    expect(await rig.runs('shop')).toEqual([]);
  });

  it('AC-070: a try that the archiving overtakes brings no due time back, whether it fails or not', async () => {
    const rig = await control();
    const within = { project: 'shop' };
    const hold = (isHeld: boolean) => rig.database.write((tx) => holdSchedules(tx, 'shop', isHeld));
    for (const [name, breaks, hour] of [
      ['fails', true, 1],
      ['works', false, 3],
    ] as const) {
      await rig.ops.call(addSchedule, { name, cron: '0 * * * *', submission: { plan } }, within);
      rig.between(async () => {
        rig.archived.add('shop');
        await hold(true);
        if (breaks) throw new Error('not now');
      });
      await rig.at(START + hour * HOUR, breaks ? 1 : 0);
      const tries = await rig.database.read((tx) => tx.sql.all('SELECT try_at FROM schedules'));
      expect(tries).toEqual([{ try_at: null }]);
      await rig.at(START + (hour + 1) * HOUR);
      expect(await rig.runs('shop')).toEqual([]);
      rig.archived.clear();
      await rig.ops.call(removeSchedule, { name }, within);
    }
  });

  it('AC-070: a schedule of an archived project is let alone, and never asked again and again', async () => {
    const rig = await control();
    const within = { project: 'shop' };
    await rig.ops.call(addSchedule, { name: 'hourly', cron: '0 * * * *', submission: { plan } }, within);
    rig.archived.add('shop');
    await rig.at(START + HOUR);
    expect(await rig.runs('shop')).toEqual([]);
    rig.archived.clear();
    await rig.at(START + HOUR + 1);
    expect(await rig.runs('shop')).toEqual(['shop~hourly@2026-03-01T01:00Z']);
  });

  it('DI-264: whoever resumes a schedule from outside is one who could have made it', async () => {
    const rig = await control();
    const add = (name: string, submission: object) =>
      rig.ops.call(addSchedule, { name, cron: '0 * * * *', submission: { plan, ...submission } });
    await add('open', {});
    await add('elsewhere', { require_isolation: true, repository: '/home/somebody' });
    await add('held', { require_isolation: true, repository: '/offered/shop' });
    for (const name of ['open', 'elsewhere', 'held']) await rig.ops.call(pauseSchedule, { name });
    const resume = (name: string) =>
      rig.ops.call(resumeSchedule, { name }, { caller: outside, actor: outside.actor });
    await expect(resume('open')).rejects.toMatchObject({ code: 'operation_not_permitted' });
    await expect(resume('elsewhere')).rejects.toMatchObject({ code: 'policy_denied' });
    await expect(resume('held')).resolves.toMatchObject({ schedule: { state: 'enabled' } });
    await rig.ops.call(resumeSchedule, { name: 'open' });
    expect((await rig.ops.call(getSchedule, { name: 'open' })).schedule.state).toBe('enabled');
  });

  it('DI-264: what is resumed or run is the schedule that was judged, and no other of its name', async () => {
    const rig = await control();
    const held = { plan, require_isolation: true, repository: '/offered/shop' };
    const outsider = { caller: outside, actor: outside.actor };
    const put = async (submission: object) => {
      await rig.ops.call(addSchedule, { name: 'n', cron: '0 * * * *', submission: { plan, ...submission } });
      await rig.ops.call(pauseSchedule, { name: 'n' });
    };
    await put(held);
    for (const operation of [resumeSchedule, runScheduleNow]) {
      rig.between(async () => {
        await rig.ops.call(removeSchedule, { name: 'n' });
        await put({});
      });
      await expect(rig.ops.call(operation, { name: 'n' }, outsider)).rejects.toMatchObject({
        code: 'stale_revision',
      });
      expect((await rig.ops.call(getSchedule, { name: 'n' })).schedule.state).toBe('paused');
      expect(await rig.runs('default')).toEqual([]);
      await rig.ops.call(removeSchedule, { name: 'n' });
      await put(held);
    }
  });
});

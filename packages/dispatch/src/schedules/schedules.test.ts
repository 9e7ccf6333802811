import {
  addSchedule,
  getSchedule,
  listEvents,
  listRuns,
  listSchedules,
  PalisadeError,
  pauseSchedule,
  removeSchedule,
  resumeSchedule,
  runScheduleNow,
} from '@palisade/contracts';
import type { Database } from '@palisade/kernel';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import {
  command,
  type EngineRig,
  engineStarter,
  migrations,
  ScriptedExecutor,
} from '../../test/engine-rig.ts';
import { Scheduler } from '../index.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.parse('2026-03-01T00:00:30Z');
const plan = { items: [command('a')] };

eachDatabase('schedules of plans', (open) => {
  const start = engineStarter(open);
  let wall = START;

  /** A control plane at a time the test sets, and a scheduler that has looked and served. */
  async function control(options: { deps?: object; executor?: ScriptedExecutor } = {}) {
    wall = START;
    const database = await open({ migrations, wallClock: () => wall });
    const rig = await start(options.executor ?? new ScriptedExecutor(), {
      database,
      leaseMs: 20 * DAY,
      deps: options.deps ?? {},
    });
    return { ...rig, database, ...serving(rig, database) };
  }

  function serving(rig: EngineRig, database: Database) {
    const faults: [string, unknown][] = [];
    const scheduler = new Scheduler({
      deps: { ...rig.deps, database },
      onFault: (error, name) => faults.push([name, error]),
      wallClock: () => wall,
      random: () => 1,
    });
    const at = async (time: number): Promise<void> => {
      wall = time;
      await scheduler.look();
      await scheduler.settled();
    };
    return { scheduler, served: faults, at };
  }

  const add = (rig: EngineRig, name: string, cron: string, more: object = {}) =>
    rig.ops.call(addSchedule, { name, cron, submission: { plan }, ...more });
  const runs = async (rig: EngineRig): Promise<string[]> =>
    (await rig.ops.call(listRuns, { limit: 1_000 })).data.map(({ id }) => id).sort();
  const shown = (rig: EngineRig, name: string) => rig.ops.call(getSchedule, { name });

  it('DI-210: every due time has one run, named after it and told in its ledger, by the actor who added the schedule', async () => {
    const rig = await control();
    const { schedule, next } = await rig.ops.call(
      addSchedule,
      { name: 'nightly', cron: '30 2 * * *', zone: 'Europe/Berlin', submission: { plan, title: 'Night' } },
      { actor: 'human:ada' },
    );
    const [first = 0, second = 0] = next;
    expect(new Date(first).toISOString()).toBe('2026-03-01T01:30:00.000Z');
    expect(schedule).toMatchObject({ state: 'enabled', title: 'Night', next_slot: first, overdue: false });
    await rig.at(first - 1);
    expect(await runs(rig)).toEqual([]);
    await rig.at(first);
    await rig.at(first + 5 * MINUTE);
    expect(await runs(rig)).toEqual(['nightly@2026-03-01T01:30Z']);
    const { data } = await rig.ops.call(listEvents, { run: 'nightly@2026-03-01T01:30Z' });
    expect(data[0]?.data).toMatchObject({
      actor: 'human:ada',
      schedule: { name: 'nightly', slot: first, covers: 1 },
    });
    expect(await shown(rig, 'nightly')).toMatchObject({
      schedule: { next_slot: second, failures: 0 },
      slots: [{ slot: first, outcome: 'submitted', run_id: 'nightly@2026-03-01T01:30Z', covers: 1 }],
    });
    expect(rig.served).toEqual([]);
  });

  it('FF-103 DI-210: after a day without anybody a five-minute schedule makes one run, marked as covering 288', async () => {
    const rig = await control();
    await add(rig, 'often', '*/5 * * * *');
    await rig.at(START + DAY);
    expect(await runs(rig)).toEqual(['often@2026-03-02T00:00Z']);
    expect((await shown(rig, 'often')).slots).toMatchObject([{ outcome: 'submitted', covers: 288 }]);
    await rig.at(START + DAY + 5 * MINUTE);
    expect((await shown(rig, 'often')).slots[0]).toMatchObject({ covers: 1 });
  });

  it('DI-210: "skip" makes up for nothing, "all" for as many of the last as it is allowed to', async () => {
    const rig = await control();
    await add(rig, 'none', '0 * * * *', { catch_up: 'skip' });
    await add(rig, 'some', '0 * * * *', { catch_up: 'all', catch_up_limit: 3 });
    await rig.at(START + 10 * HOUR + 10 * MINUTE);
    expect(await runs(rig)).toEqual([
      'some@2026-03-01T08:00Z',
      'some@2026-03-01T09:00Z',
      'some@2026-03-01T10:00Z',
    ]);
    expect((await shown(rig, 'none')).slots).toMatchObject([
      { outcome: 'skipped', covers: 10, reason: 'missed' },
    ]);
    expect((await shown(rig, 'some')).slots.map(({ covers }) => covers)).toEqual([1, 1, 8]);
    await rig.at(Date.parse('2026-03-01T11:00:01Z'));
    expect((await runs(rig)).filter((id) => id.startsWith('none'))).toEqual(['none@2026-03-01T11:00Z']);
  });

  it('FF-100: a machine that slept for 42 minutes or two days serves at its first look after it woke', async () => {
    const rig = await control();
    await add(rig, 'noon', '0 12 * * *');
    await rig.at(Date.parse('2026-03-01T11:30Z'));
    expect(await runs(rig)).toEqual([]);
    await rig.at(Date.parse('2026-03-01T12:12Z'));
    expect(await runs(rig)).toEqual(['noon@2026-03-01T12:00Z']);
    await rig.at(Date.parse('2026-03-03T12:12Z'));
    expect(await runs(rig)).toEqual(['noon@2026-03-01T12:00Z', 'noon@2026-03-03T12:00Z']);
  });

  it('DI-210: a clock that is turned back brings no due time again', async () => {
    const rig = await control();
    await add(rig, 'hourly', '0 * * * *');
    await rig.at(START + 2 * HOUR);
    const before = await runs(rig);
    for (const time of [START, START + HOUR, START - DAY]) await rig.at(time);
    expect(await runs(rig)).toEqual(before);
    await rig.at(START + 3 * HOUR);
    expect(await runs(rig)).toHaveLength(before.length + 1);
  });

  it('DI-210: engines that look at once, in two processes, make one run for a due time', async () => {
    const rig = await control();
    const others = await Promise.all(
      [1, 2, 3].map(async () => serving(rig, await open({ migrations, wallClock: () => wall }))),
    );
    await add(rig, 'contested', '*/10 * * * *', { catch_up: 'all', catch_up_limit: 12 });
    await add(rig, 'beside', '*/10 * * * *');
    for (const time of [START + 10 * MINUTE, START + 2 * HOUR])
      await Promise.all([rig, ...others].map(({ at }) => at(time)));
    const made = await runs(rig);
    expect(new Set(made).size).toBe(made.length);
    expect(made.filter((id) => id.startsWith('contested'))).toHaveLength(12);
    expect(made.filter((id) => id.startsWith('beside'))).toHaveLength(2);
    expect([rig, ...others].flatMap(({ served }) => served)).toEqual([]);
    expect(await shown(rig, 'contested')).toMatchObject({ schedule: { failures: 0 } });
  });

  it('DI-210: with "overlap: skip" a due time goes by while the last run goes on, with "allow" it does not', async () => {
    const executor = new ScriptedExecutor(() => undefined);
    const rig = await control({ executor });
    await add(rig, 'alone', '0 * * * *', { overlap: 'skip' });
    await add(rig, 'many', '0 * * * *');
    await rig.at(START + HOUR);
    await rig.at(START + 2 * HOUR);
    expect(await runs(rig)).toEqual([
      'alone@2026-03-01T01:00Z',
      'many@2026-03-01T01:00Z',
      'many@2026-03-01T02:00Z',
    ]);
    expect((await shown(rig, 'alone')).slots[0]).toMatchObject({
      outcome: 'skipped',
      reason: 'run alone@2026-03-01T01:00Z had not ended',
    });
    await expect.poll(() => executor.open.size).toBeGreaterThan(0);
    for (const { intent, end } of [...executor.started.values()].flatMap((each) => {
      const found = [...executor.open.values()].find(({ intent }) => intent === each);
      return found === undefined ? [] : [found];
    }))
      if (intent.rootRunId.startsWith('alone'))
        end({ outcome: 'succeeded', retryable: false, product: {}, posture: [] });
  });

  it('DI-210: what cannot be submitted says so, is tried again ever later, suspends itself in the end, and holds up no other', async () => {
    let isKnown = true;
    const unknown = new PalisadeError('not_found', 'there is no readable directory /gone', { next: 'look' });
    const rig = await control({
      deps: {
        resolveBase: async (repository: string) => {
          if (repository === '/gone' && !isKnown) throw unknown;
          return { base: { kind: 'empty' }, warnings: [] };
        },
      },
    });
    await add(rig, 'broken', '0 0 * * *', { submission: { plan, repository: '/gone' } });
    await add(rig, 'well', '0 * * * *');
    isKnown = false;
    const midnight = Date.parse('2026-03-02T00:00Z');
    await rig.at(midnight);
    expect((await shown(rig, 'broken')).schedule).toMatchObject({
      state: 'enabled',
      failures: 1,
      next_try_at: midnight + MINUTE,
      last_error: { code: 'not_found', message: 'there is no readable directory /gone', at: midnight },
    });
    expect(await runs(rig)).toContain('well@2026-03-02T00:00Z');
    await rig.at(midnight + MINUTE - 1);
    expect(rig.served).toHaveLength(1);
    let tryAt = midnight + MINUTE;
    for (const pause of [4 * MINUTE, 16 * MINUTE, HOUR, HOUR]) {
      await rig.at(tryAt);
      tryAt += pause;
    }
    expect(rig.served.map(([name]) => name)).toEqual(Array.from({ length: 5 }, () => 'broken'));
    expect((await shown(rig, 'broken')).schedule).toMatchObject({
      state: 'suspended',
      reason: '5 tries in a row failed',
    });
    await rig.at(midnight + 3 * DAY);
    expect(rig.served).toHaveLength(5);
    isKnown = true;
    const { schedule } = await rig.ops.call(resumeSchedule, { name: 'broken' });
    expect(schedule).toMatchObject({ state: 'enabled', next_slot: midnight + 4 * DAY, failures: 0 });
    await rig.at(midnight + 4 * DAY);
    expect(await runs(rig)).toContain('broken@2026-03-06T00:00Z');
  });

  it('DI-210: a full disk is waited out, however long: it says nothing about the schedule', async () => {
    let isFull = true;
    const rig = await control({
      deps: {
        chooseSandbox: async () => {
          if (isFull && wall > START) throw new PalisadeError('storage_full', 'no space left on the device');
          return { name: 'process', isolation: 'unsandboxed-host', warnings: [] };
        },
      },
    });
    await add(rig, 'patient', '0 * * * *');
    for (let hour = 1; hour < 30; hour++) await rig.at(START + hour * HOUR);
    expect((await shown(rig, 'patient')).schedule).toMatchObject({
      state: 'enabled',
      last_error: { code: 'storage_full' },
    });
    isFull = false;
    await rig.at(START + 31 * HOUR);
    expect(await runs(rig)).toEqual(['patient@2026-03-02T07:00Z']);
    expect((await shown(rig, 'patient')).schedule.last_error).toBeUndefined();
  });

  it('DI-210: a schedule that hangs holds up no other', async () => {
    let release: () => void = () => {};
    const hanging = new Promise<void>((resolve) => (release = resolve));
    const rig = await control({
      deps: {
        resolveBase: async (repository: string) => {
          if (repository === '/hangs' && wall > START) await hanging;
          return { base: { kind: 'empty' }, warnings: [] };
        },
      },
    });
    await add(rig, 'hangs', '0 * * * *', { submission: { plan, repository: '/hangs' } });
    await add(rig, 'well', '0 * * * *');
    for (let hour = 1; hour < 4; hour++) {
      wall = START + hour * HOUR;
      await rig.scheduler.look();
      await expect.poll(() => runs(rig)).toContain(`well@2026-03-01T0${hour}:00Z`);
    }
    release();
    await rig.scheduler.settled();
    expect((await shown(rig, 'hangs')).slots).toMatchObject([
      { outcome: 'submitted', covers: 2 },
      { outcome: 'submitted', covers: 1 },
    ]);
  });

  it('FF-099: a week of connections that break at random costs no due time', async () => {
    const rig = await control();
    await add(rig, 'often', '0 */6 * * *', { catch_up: 'all' });
    let seed = 7;
    const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
    let broken = 0;
    const breaking = async <T>(work: () => Promise<T>): Promise<T> => {
      if (random() < 0.3) {
        broken++;
        throw Object.assign(new Error('connection lost'), { code: 'ECONNRESET' });
      }
      return work();
    };
    const { at } = serving(rig, {
      ...rig.database,
      dialect: rig.database.dialect,
      isReadOnly: false,
      onForeignCommit: () => () => {},
      close: async () => {},
      read: (body) => breaking(() => rig.database.read(body)),
      write: (body, options) => breaking(() => rig.database.write(body, options)),
    });
    for (let time = START; time < START + 7 * DAY; time += HOUR) await at(time).catch(() => undefined);
    expect(broken).toBeGreaterThan(100);
    const due = Array.from({ length: 7 * 4 - 1 }, (_, n) => new Date(START - 30_000 + (n + 1) * 6 * HOUR));
    expect(await runs(rig)).toEqual(due.map((time) => `often@${time.toISOString().slice(0, 16)}Z`));
  });

  it('DI-210: paused, due times go by; resumed, it goes on with the next; removed, its name is free', async () => {
    const rig = await control();
    await add(rig, 'hourly', '0 * * * *');
    expect(await rig.scheduler.hasEnabled()).toBe(true);
    const paused = await rig.ops.call(pauseSchedule, { name: 'hourly' }, { actor: 'human:eve' });
    expect(paused.schedule).toMatchObject({ state: 'paused', reason: 'by human:eve' });
    expect(await rig.scheduler.hasEnabled()).toBe(false);
    await rig.at(START + 5 * HOUR);
    expect(await runs(rig)).toEqual([]);
    await rig.ops.call(resumeSchedule, { name: 'hourly' });
    await rig.at(START + 5 * HOUR + MINUTE);
    expect(await runs(rig)).toEqual([]);
    await rig.at(START + 6 * HOUR);
    expect(await runs(rig)).toEqual(['hourly@2026-03-01T06:00Z']);
    expect(await rig.ops.call(removeSchedule, { name: 'hourly' })).toEqual({ name: 'hourly', removed: true });
    await rig.at(START + 9 * HOUR);
    expect(await runs(rig)).toHaveLength(1);
    await expect(shown(rig, 'hourly')).rejects.toMatchObject({ code: 'not_found' });
    await add(rig, 'hourly', '0 * * * *');
    await expect(shown(rig, 'horly')).rejects.toMatchObject({ next: 'the nearest is hourly' });
  });

  it('DI-210: a run asked for now is one run however often the call is repeated, and moves no due time', async () => {
    const rig = await control();
    await add(rig, 'hourly', '0 * * * *');
    const call = () => rig.ops.call(runScheduleNow, { name: 'hourly' }, { idempotencyKey: 'k' });
    const first = await call();
    wall += 1_000;
    expect(await call()).toEqual(first);
    expect(await runs(rig)).toEqual([first.run_id]);
    expect((await shown(rig, 'hourly')).schedule.next_slot).toBe(Date.parse('2026-03-01T01:00Z'));
  });

  it('DI-210: a wrong expression, zone or plan leaves nothing, nor does a dry run', async () => {
    const rig = await control();
    await expect(add(rig, 'x', '0 25 * * *')).rejects.toMatchObject({ issues: [{ path: 'cron' }] });
    await expect(add(rig, 'x', '0 2 * * *', { zone: 'Mars/Base' })).rejects.toMatchObject({
      issues: [{ path: 'zone' }],
    });
    await expect(add(rig, 'x', '0 2 * * *', { submission: { plan: {} } })).rejects.toMatchObject({
      code: 'invalid_plan',
    });
    await expect(
      add(rig, 'x', '0 2 * * *', { submission: { plan: { items: [{ id: 'a', agent: 'nobody' }] } } }),
    ).rejects.toMatchObject({ code: 'invalid_plan' });
    const { next } = await add(rig, 'x', '0 2 * * *', { dry_run: true });
    expect(next.map((time) => new Date(time).toISOString())).toEqual([
      '2026-03-01T02:00:00.000Z',
      '2026-03-02T02:00:00.000Z',
      '2026-03-03T02:00:00.000Z',
    ]);
    expect((await rig.ops.call(listSchedules, {})).data).toEqual([]);
    await add(rig, 'x', '0 2 * * *');
    await expect(add(rig, 'x', '0 3 * * *')).rejects.toMatchObject({ code: 'already_exists' });
  });

  it('FF-098: a schedule that lies there is served', async () => {
    const rig = await control();
    const slot = Date.parse('2026-03-01T01:00Z');
    await rig.database.write((tx) =>
      tx.sql.run(
        `INSERT INTO schedules (project, name, id, cron, zone, catch_up, catch_up_limit, overlap, submission, title, repository,
           base, actor, created_at, state, reason, next_slot, try_at, last_run_id, failures, error_code, error_message, error_at)
         VALUES ('default', 'old', 'sch_1', '0 * * * *', 'America/New_York', 'latest', 10, 'allow',
           '{"plan":{"items":[{"id":"a","command":"true"}]}}', 'plan', NULL, NULL, 'human:ada', 0, 'enabled', NULL,
           ${slot}, ${slot}, NULL, 0, NULL, NULL, NULL)`,
      ),
    );
    await rig.at(slot);
    expect(await runs(rig)).toEqual(['old@2026-03-01T01:00Z']);
  });

  it('FF-098: a due time that passed and nobody served is said to be overdue', async () => {
    const rig = await control();
    await add(rig, 'hourly', '0 * * * *');
    // What is shown is judged by this machine's clock, which is long past the test's.
    expect((await shown(rig, 'hourly')).schedule.overdue).toBe(true);
    await rig.ops.call(pauseSchedule, { name: 'hourly' });
    expect((await shown(rig, 'hourly')).schedule.overdue).toBe(false);
  });
});

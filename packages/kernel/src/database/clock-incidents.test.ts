import { Client } from 'pg';
import { expect, it } from 'vitest';
import { probeMigrations as migrations } from '../../test/probe-schema.ts';
import { eachDatabase } from '../testing/index.ts';
import { clockAhead, latestClockIncident, openClockIncident, recoverClock } from './clock-incidents.ts';
import type { Database, WriteOptions } from './database.ts';
import { ProtectedClock } from './protected-clock.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;

const touch = (database: Database, options?: WriteOptions): Promise<number> =>
  database.write(async (tx) => {
    await tx.sql.run(
      `INSERT INTO probe (id, n) VALUES ('t', ?) ON CONFLICT (id) DO UPDATE SET n = excluded.n`,
      [tx.now],
    );
    return tx.now;
  }, options);
const probe = (database: Database): Promise<{ n: number }[]> =>
  database.read((tx) => tx.sql.all<{ n: number }>('SELECT n FROM probe'));
const required = { code: 'clock_reconciliation_required' };

eachDatabase('a clock that goes back', (open, dialect) => {
  /** Two processes on one database, both with the clock that the test sets. */
  const replicas = async () => {
    const clock = { wall: 10 * HOUR };
    const options = { migrations, wallClock: () => clock.wall, pausesOnRollback: true };
    return { clock, one: await open(options), other: await open(options) };
  };
  const recover = (database: Database, incident: string, reason = 'set right'): Promise<unknown> =>
    database.write((tx) => recoverClock(tx, incident, { by: 'host', reason }), { whilePaused: true });

  it('AC-275: five seconds are clamped, more is an incident, and only that is committed (AC-276)', async () => {
    const { clock, one, other } = await replicas();
    const last = await touch(one);
    clock.wall = last - 5_000;
    expect(await touch(one)).toBe(last);
    clock.wall = last - 5_001;
    await expect(touch(one)).rejects.toMatchObject(required);
    expect(await probe(one)).toEqual([{ n: last }]);
    expect(await one.read(latestClockIncident)).toMatchObject({
      observedWall: last - 5_001,
      highWater: last,
    });
    // Another process finds it paused, even one that would not have paused it.
    await expect(touch(other)).rejects.toMatchObject(required);
    await expect(touch(await open({ migrations, wallClock: () => last + HOUR }))).rejects.toMatchObject(
      required,
    );
    // What grants nothing goes on.
    expect(await touch(other, { whilePaused: true })).toBe(last);
  });

  it('AC-275: what was held has run out, with its fence and its owner kept, and recovering revives nothing', async () => {
    const { clock, one, other } = await replicas();
    const lease = await one.write(async (tx) => {
      await tx.jobs.enqueue('work', {});
      await tx.jobs.claim(['work'], 'me', HOUR);
      return tx.leases.claim('thing', 'me', HOUR);
    });
    if (lease === null) throw new Error('it was free');
    clock.wall -= MINUTE;
    await expect(one.write((tx) => tx.leases.renew(lease, HOUR))).rejects.toMatchObject(required);
    const held = await one.read((tx) => tx.leases.read('thing'));
    expect(held).toMatchObject({ owner: 'me', fence: lease.fence });
    clock.wall += 2 * MINUTE;
    // A clock that is right again lifts nothing by itself (AO-202).
    await expect(touch(other)).rejects.toMatchObject(required);
    const incident = await one.read(openClockIncident);
    await recover(other, incident?.id ?? '');
    await expect(one.write((tx) => tx.leases.assert(lease))).rejects.toMatchObject({
      code: 'lease_conflict',
    });
    const [taken, job] = await other.write(async (tx) => [
      await tx.leases.claim('thing', 'you', HOUR),
      await tx.jobs.claim(['work'], 'you', HOUR),
    ]);
    expect(taken).toMatchObject({ owner: 'you', fence: lease.fence + 1 });
    expect(job).toMatchObject({ owner: 'you', attempt: 2 });
  });

  it('AC-275: what is granted while it goes back has run out too, and whoever comes meanwhile is refused', async () => {
    const { clock, one, other } = await replicas();
    const last = await touch(one);
    const gate = Promise.withResolvers<void>();
    const inside = Promise.withResolvers<void>();
    const granting = one.write(async (tx) => {
      const lease = await tx.leases.claim('thing', 'me', HOUR);
      inside.resolve();
      await gate.promise;
      return lease;
    });
    await inside.promise;
    clock.wall -= HOUR;
    const refused = Promise.allSettled([touch(other), touch(other, { guarded: true })]);
    if (dialect === 'postgres') await waitingForLocks(open.url(), 1);
    const late = Promise.allSettled([touch(other), touch(other, { guarded: true })]);
    if (dialect === 'postgres') await waitingForLocks(open.url(), 4);
    gate.resolve();
    expect(await granting).toMatchObject({ owner: 'me' });
    for (const outcome of [...(await refused), ...(await late)])
      expect(outcome).toMatchObject({ status: 'rejected', reason: required });
    expect(await one.read((tx) => tx.leases.read('thing'))).toMatchObject({ owner: 'me', expiresAt: last });
    expect(await probe(one)).toEqual([{ n: last }]);
  });

  // On SQLite nobody waits between seeing it and recording it.
  if (dialect === 'postgres')
    it('AC-275: what was wrong when it was seen, and right when it could be recorded, is no incident', async () => {
      const { clock, one, other } = await replicas();
      await touch(one);
      const gate = Promise.withResolvers<void>();
      const inside = Promise.withResolvers<void>();
      const working = one.write(async () => {
        inside.resolve();
        await gate.promise;
      });
      await inside.promise;
      clock.wall -= HOUR;
      const seen = touch(other);
      await waitingForLocks(open.url(), 1);
      clock.wall += HOUR + MINUTE;
      gate.resolve();
      await working;
      expect(await seen).toBe(clock.wall);
      expect(await one.read(latestClockIncident)).toBeNull();
    });

  it('AO-202: recovering waits for the clock, names the incident, and is said once', async () => {
    const { clock, one, other } = await replicas();
    await expect(recover(one, 'clk_none')).rejects.toMatchObject({ code: 'clock_not_paused' });
    const last = await touch(one);
    clock.wall = last - HOUR;
    await expect(touch(one)).rejects.toMatchObject(required);
    const { id = '' } = (await other.read(openClockIncident)) ?? {};
    await expect(recover(other, 'clk_other')).rejects.toMatchObject({ code: 'clock_incident_changed' });
    clock.wall = last - 1;
    await expect(recover(other, id)).rejects.toMatchObject({ code: 'clock_still_untrusted' });
    clock.wall = last;
    await recover(other, id, 'the battery of the board was changed');
    await expect(recover(other, id)).rejects.toMatchObject({ code: 'clock_not_paused' });
    expect(await touch(one)).toBe(last);
    expect(await one.read(openClockIncident)).toBeNull();
    expect(await one.read(latestClockIncident)).toMatchObject({
      id,
      recovered: { at: last, by: 'host', reason: 'the battery of the board was changed' },
    });
  });

  it('AO-178: time that was years ahead is kept ahead where that is asked for, by whole weeks, and goes on from there', async () => {
    const { clock, one, other } = await replicas();
    const YEAR = 365 * 24 * HOUR;
    clock.wall += 3 * YEAR;
    const last = await touch(one);
    clock.wall -= 3 * YEAR;
    await expect(touch(other)).rejects.toMatchObject(required);
    const { id = '' } = (await other.read(openClockIncident)) ?? {};
    await expect(recover(other, id)).rejects.toMatchObject({ code: 'clock_still_untrusted' });
    await other.write(
      (tx) => recoverClock(tx, id, { by: 'host', reason: 'not for years', keepAhead: true }),
      {
        whilePaused: true,
      },
    );
    const week = 7 * 24 * HOUR;
    const ahead = await one.read(clockAhead);
    expect([ahead % week, Math.floor((ahead - 3 * YEAR) / week)]).toEqual([0, 0]);
    // Every process goes on from there, one that begins now too, and leases run as they should.
    const third = await open({ migrations, wallClock: () => clock.wall, pausesOnRollback: true });
    for (const database of [one, other, third]) expect(await touch(database)).toBe(clock.wall + ahead);
    expect(clock.wall + ahead).toBeGreaterThanOrEqual(last);
    const lease = await one.write((tx) => tx.leases.claim('thing', 'me', HOUR));
    if (lease === null) throw new Error('it was free');
    clock.wall += HOUR - 1;
    await third.write((tx) => tx.leases.assert(lease));
    clock.wall += 1;
    await expect(third.write((tx) => tx.leases.assert(lease))).rejects.toMatchObject({
      code: 'lease_conflict',
    });
    // It may happen again.
    clock.wall -= 2 * HOUR;
    await expect(touch(one)).rejects.toMatchObject(required);
    const again = (await one.read(openClockIncident))?.id ?? '';
    clock.wall += 2 * HOUR;
    await recover(one, again);
    expect(await touch(one)).toBe(clock.wall + ahead);
  });

  it('many that see it at once open one incident, and none of them has an effect', async () => {
    const { clock, one, other } = await replicas();
    await touch(one);
    await touch(other);
    const before = await probe(one);
    clock.wall -= HOUR;
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, (_, i) => touch(i % 2 === 0 ? one : other)),
    );
    for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason: required });
    expect(await probe(one)).toEqual(before);
    expect(await one.read((tx) => tx.sql.all('SELECT is_open FROM kernel_clock_incidents'))).toHaveLength(1);
  });
});

/** Resolves when as many units of work wait to see the clock's incidents; raises when they do not. */
async function waitingForLocks(url: string, count: number): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await expect
      .poll(
        async () => {
          const { rows } = await client.query(
            "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'kernel_clock_incidents'::regclass",
          );
          return rows.length;
        },
        { timeout: 4_000 },
      )
      .toBeGreaterThanOrEqual(count);
  } finally {
    await client.end();
  }
}

it('AO-199: where nothing pauses, time goes on from where it was by what has elapsed, and follows the wall clock once that has caught up', () => {
  let wall = HOUR;
  let elapsed = 0;
  const clock = new ProtectedClock(
    () => wall,
    () => elapsed,
  );
  expect(clock.sample()).toBe(HOUR);
  wall -= MINUTE;
  expect(clock.isTurnedBack()).toBe(true);
  elapsed += 2_000;
  expect(clock.sample()).toBe(HOUR + 2_000);
  // What somebody else has stored is later still.
  clock.observe(HOUR + 10_000);
  elapsed += 500;
  expect(clock.sample()).toBe(HOUR + 10_500);
  wall = 2 * HOUR;
  expect(clock.sample()).toBe(2 * HOUR);
  elapsed += 300;
  expect(clock.sample()).toBe(2 * HOUR + 300);
});

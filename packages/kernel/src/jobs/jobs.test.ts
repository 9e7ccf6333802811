import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { buryLostJobs, type Database, type JobClaim, type WriteOptions } from '../index.ts';
import { eachDatabase } from '../testing/index.ts';
import { jobBackoffMs, standDownMs } from './back-off.ts';

const claim = (
  database: Database,
  owner = 'w',
  leaseMs = 1_000,
  options: WriteOptions = {},
): Promise<JobClaim | null> => database.write((tx) => tx.jobs.claim(['work'], owner, leaseMs), options);
const must = (job: JobClaim | null): JobClaim => {
  if (job === null) throw new Error('no job was ready');
  return job;
};
const row = async (database: Database, id: string): Promise<Record<string, unknown>> => ({
  ...(await database.read((tx) =>
    tx.sql.get<Record<string, unknown>>('SELECT * FROM kernel_jobs WHERE id = ?', [id]),
  )),
});
const attempts = async (database: Database, id: string): Promise<string[]> =>
  (
    await database.read((tx) =>
      tx.sql.all<{ outcome: string }>(
        'SELECT outcome FROM kernel_job_attempts WHERE job = ? ORDER BY fence',
        [id],
      ),
    )
  ).map(({ outcome }) => outcome);
const stale = { code: 'lease_conflict' };

eachDatabase('jobs', (open) => {
  it('EX-091: the oldest ready job of the kinds asked for is claimed, with fence and attempt raised', async () => {
    let wall = 1_000;
    const database = await open({ wallClock: () => wall });
    const [later, older] = await database.write(async (tx) => [
      await tx.jobs.enqueue('work', { n: 1 }, { readyAt: 2_000 }),
      await tx.jobs.enqueue('work', { n: 2 }, { readyAt: 1_500 }),
      await tx.jobs.enqueue('other', { n: 3 }, { readyAt: 0 }),
    ]);
    expect(await claim(database)).toBeNull();
    wall = 3_000;
    expect(await claim(database)).toMatchObject({
      id: older,
      payload: { n: 2 },
      fence: 1,
      attempt: 1,
      owner: 'w',
    });
    expect(await claim(database)).toMatchObject({ id: later, payload: { n: 1 } });
    expect(await claim(database)).toBeNull();
    expect(await database.write((tx) => tx.jobs.claim([], 'w', 1))).toBeNull();
  });

  it('EX-091: a running job is claimed again from the millisecond its lease expires, never before', async () => {
    let wall = 1_000;
    const database = await open({ wallClock: () => wall });
    const id = await database.write((tx) => tx.jobs.enqueue('work', null));
    const first = must(await claim(database, 'a', 500));
    wall = 1_499;
    expect(await claim(database, 'b')).toBeNull();
    wall = 1_500;
    expect(must(await claim(database, 'b'))).toMatchObject({
      id,
      fence: first.fence + 1,
      attempt: 2,
      owner: 'b',
    });
    expect(await attempts(database, id)).toEqual(['lost', 'running']);
  });

  it.each([{ guarded: false }, { guarded: true }])(
    'FF-044: many claimers at once never share a job (%o)',
    async (options) => {
      const database = await open();
      await database.write(async (tx) => {
        for (let n = 0; n < 6; n++) await tx.jobs.enqueue('work', n);
      });
      const claims = await Promise.all(
        Array.from({ length: 10 }, (_, i) => claim(database, `w${i}`, 60_000, options)),
      );
      const got = claims.filter((job) => job !== null).map((job) => job.payload);
      expect(new Set(got)).toEqual(new Set([0, 1, 2, 3, 4, 5]));
      expect(got).toHaveLength(6);
    },
  );

  it('EX-092: back-off is full jitter under a doubling ceiling, and stand-down returns in 50 to 150 ms (EX-094)', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (n, r) => {
          const ceiling = Math.min(30_000, 100 * 2 ** (n - 1));
          expect(jobBackoffMs(n, () => r)).toBeLessThanOrEqual(ceiling);
          expect(jobBackoffMs(n, () => r)).toBeGreaterThanOrEqual(0);
          expect(jobBackoffMs(n, () => 0)).toBe(0);
          expect(jobBackoffMs(n, () => 1 - Number.EPSILON)).toBe(ceiling);
          expect(standDownMs(() => r)).toBeGreaterThanOrEqual(50);
          expect(standDownMs(() => r)).toBeLessThanOrEqual(150);
        },
      ),
    );
  });

  it('EX-090 EX-092: a job that keeps failing is retried and dead after its attempts, with its last error kept', async () => {
    let wall = 1_000;
    const database = await open({ wallClock: () => wall });
    const id = await database.write((tx) => tx.jobs.enqueue('work', null, { maxAttempts: 3 }));
    const outcomes: string[] = [];
    for (let n = 1; n <= 3; n++) {
      wall += 60_000;
      const job = must(await claim(database));
      expect(job.attempt).toBe(n);
      outcomes.push(
        await database.write((tx) => tx.jobs.fail(job, `boom ${n} \0 \ud800 ${'x'.repeat(2_000)}`)),
      );
      const { ready_at } = await row(database, id);
      expect(ready_at).toBeLessThanOrEqual(wall + 100 * 2 ** (n - 1));
    }
    expect(outcomes).toEqual(['queued', 'queued', 'dead']);
    wall += 3_600_000;
    expect(await claim(database)).toBeNull();
    const { status, error } = await row(database, id);
    expect(status).toBe('dead');
    expect(error).toMatch(/^boom 3 \ufffd \ufffd x+ \[\d+ characters cut\]$/);
    expect(String(error)).toHaveLength(1_000);
    expect(await attempts(database, id)).toEqual(['failed', 'failed', 'dead']);
  });

  it('EX-092: a failure may say when its job is to be tried again', async () => {
    let wall = 1_000;
    const database = await open({ wallClock: () => wall });
    await database.write((tx) => tx.jobs.enqueue('work', null));
    const job = must(await claim(database));
    expect(await database.write((tx) => tx.jobs.fail(job, 'later', { retryAt: 90_000 }))).toBe('queued');
    wall = 89_999;
    expect(await claim(database)).toBeNull();
    wall = 90_000;
    expect(must(await claim(database))).toMatchObject({ id: job.id, attempt: 2 });
  });

  it('EX-093: after a take-over every call of the former holder is refused and changes nothing', async () => {
    let wall = 1_000;
    const database = await open({ wallClock: () => wall });
    const id = await database.write((tx) => tx.jobs.enqueue('work', null));
    const late = must(await claim(database, 'late', 100));
    wall += 100;
    const current = must(await claim(database, 'late', 1_000)); // the same name: the fence alone tells them apart
    const before = await row(database, id);
    await expect(database.write((tx) => tx.jobs.heartbeat(late, 1_000))).rejects.toMatchObject(stale);
    await expect(database.write((tx) => tx.jobs.complete(late))).rejects.toMatchObject(stale);
    await expect(database.write((tx) => tx.jobs.fail(late, 'x'))).rejects.toMatchObject(stale);
    await expect(database.write((tx) => tx.jobs.standDown(late))).rejects.toMatchObject(stale);
    const impostor = { ...current, owner: 'other' };
    await expect(database.write((tx) => tx.jobs.complete(impostor))).rejects.toMatchObject(stale);
    expect(await row(database, id)).toEqual(before);
    await database.write((tx) => tx.jobs.complete(current));
  });

  it('FF-039: nothing brings a finished job back', async () => {
    let wall = 1_000;
    const database = await open({ wallClock: () => wall });
    const id = await database.write((tx) => tx.jobs.enqueue('work', null));
    const job = must(await claim(database, 'w', 100));
    await database.write((tx) => tx.jobs.complete(job));
    wall += 1_000_000;
    expect(await claim(database)).toBeNull();
    expect(await database.write((tx) => buryLostJobs(tx, 'work'))).toEqual([]);
    await expect(database.write((tx) => tx.jobs.fail(job, 'x'))).rejects.toMatchObject(stale);
    await expect(database.write((tx) => tx.jobs.standDown(job))).rejects.toMatchObject(stale);
    expect(await row(database, id)).toMatchObject({ status: 'completed', finished_at: 1_000 });
  });

  it('FF-047: a job that heartbeats for forty minutes is never offered again', async () => {
    let wall = 1_000;
    const database = await open({ wallClock: () => wall });
    await database.write((tx) => tx.jobs.enqueue('work', null));
    const job = must(await claim(database, 'busy', 60_000));
    for (let minute = 0; minute < 40; minute++) {
      wall += 59_999;
      expect(await claim(database, 'reconciler')).toBeNull();
      await database.write((tx) => tx.jobs.heartbeat(job, 60_000));
    }
    await database.write((tx) => tx.jobs.complete(job));
  });

  it('FF-048: a late completion with the current fence is accepted, but a heartbeat does not revive a lapsed lease', async () => {
    let wall = 1_000;
    const database = await open({ wallClock: () => wall });
    await database.write((tx) => tx.jobs.enqueue('work', null));
    const job = must(await claim(database, 'w', 100));
    wall += 100;
    await expect(database.write((tx) => tx.jobs.heartbeat(job, 100))).rejects.toMatchObject(stale);
    await database.write((tx) => tx.jobs.complete(job));
  });

  it('EX-094: standing down refunds the attempt and returns the job after 50 to 150 ms', async () => {
    let wall = 1_000;
    const database = await open({ wallClock: () => wall });
    const id = await database.write((tx) => tx.jobs.enqueue('work', null, { maxAttempts: 1 }));
    for (let n = 0; n < 5; n++) {
      const job = must(await claim(database));
      expect(job).toMatchObject({ attempt: 1, fence: n + 1 });
      await database.write((tx) => tx.jobs.standDown(job));
      const { ready_at } = await row(database, id);
      expect(ready_at).toBeGreaterThanOrEqual(wall + 50);
      expect(ready_at).toBeLessThanOrEqual(wall + 150);
      expect(await claim(database)).toBeNull();
      wall += 150;
    }
    expect(await attempts(database, id)).toEqual(Array.from({ length: 5 }, () => 'stood_down'));
  });

  it('EX-097: a key has one live job, whoever asks and however often', async () => {
    const database = await open();
    const ids = await Promise.all(
      Array.from({ length: 8 }, () =>
        database.write((tx) => tx.jobs.enqueue('work', null, { key: 'run_1' })),
      ),
    );
    expect(new Set(ids).size).toBe(1);
    const job = must(await claim(database));
    expect(await database.write((tx) => tx.jobs.enqueue('work', null, { key: 'run_1' }))).toBe(job.id);
    await database.write((tx) => tx.jobs.complete(job));
    const next = await database.write((tx) => tx.jobs.enqueue('work', null, { key: 'run_1' }));
    expect(next).not.toBe(job.id);
    expect(await database.write((tx) => tx.jobs.enqueue('other', null, { key: 'run_1' }))).not.toBe(next);
  });

  it('EX-095: a job whose last attempt got lost is handed to its owner once, dead, and never claimed again', async () => {
    let wall = 1_000;
    const database = await open({ wallClock: () => wall });
    const id = await database.write((tx) => tx.jobs.enqueue('work', { run: 'run_1' }, { maxAttempts: 1 }));
    const job = must(await claim(database, 'gone', 100));
    expect(await database.write((tx) => buryLostJobs(tx, 'work'))).toEqual([]);
    wall += 100;
    expect(await claim(database)).toBeNull();
    expect(await database.write((tx) => buryLostJobs(tx, 'work'))).toEqual([
      { id, kind: 'work', payload: { run: 'run_1' } },
    ]);
    expect(await database.write((tx) => buryLostJobs(tx, 'work'))).toEqual([]);
    await expect(database.write((tx) => tx.jobs.complete(job))).rejects.toMatchObject(stale);
    expect(await row(database, id)).toMatchObject({ status: 'dead' });
    expect(await attempts(database, id)).toEqual(['lost']);
  });
});

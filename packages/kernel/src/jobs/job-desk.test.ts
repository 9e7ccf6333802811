import { expect, it } from 'vitest';
import { JobDesk } from '../index.ts';
import { eachDatabase } from '../testing/index.ts';

const stale = { code: 'lease_conflict' };

eachDatabase('job desk', (open) => {
  it('EX-091: sixteen workers at two desks share out two hundred jobs, each job exactly once', async () => {
    const database = await open();
    const ids = await database.write(async (tx) => {
      const all: string[] = [];
      for (let n = 0; n < 200; n++) all.push(await tx.jobs.enqueue('work', { n }));
      return all;
    });
    const desks = ['a', 'b'].map(
      (owner) => new JobDesk({ database, kinds: ['work'], owner, leaseMs: 60_000 }),
    );
    const done: string[] = [];
    await Promise.all(
      desks.flatMap((desk) =>
        Array.from({ length: 8 }, async () => {
          for (let claim = await desk.claim(); claim !== null; claim = await desk.claim()) {
            expect(claim).toMatchObject({ fence: 1, attempt: 1 });
            await desk.complete(claim);
            done.push(claim.id);
          }
        }),
      ),
    );
    expect(done.toSorted()).toEqual(ids.toSorted());
    const attempts = await database.read((tx) =>
      tx.sql.all('SELECT outcome, COUNT(*) AS n FROM kernel_job_attempts GROUP BY outcome'),
    );
    expect(attempts.map((row) => ({ ...row }))).toEqual([{ outcome: 'completed', n: 200 }]);
  });

  it('EX-093: one stale completion is refused alone; its neighbours in the same commit hold', async () => {
    let wall = 1_000;
    const database = await open({ wallClock: () => wall });
    await database.write(async (tx) => {
      for (let n = 0; n < 3; n++) await tx.jobs.enqueue('work', { n });
    });
    const desk = new JobDesk({ database, kinds: ['work'], owner: 'w', leaseMs: 500 });
    const lost = await desk.claim();
    wall = 1_500;
    const other = await database.write((tx) => tx.jobs.claim(['work'], 'other', 500));
    const [second, third] = await Promise.all([desk.claim(), desk.claim()]);
    if (lost === null || second === null || third === null || other === null) throw new Error('no job');
    expect(other.id).toBe(lost.id);
    const outcomes = await Promise.allSettled([
      desk.complete(second),
      desk.complete(lost),
      desk.complete(third),
      desk.complete(third),
      desk.claim(),
    ]);
    expect(outcomes).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: stale },
      { status: 'fulfilled' },
      { status: 'rejected', reason: stale },
      { status: 'fulfilled', value: null },
    ]);
    await database.write((tx) => tx.jobs.complete(other));
  });

  it('a desk whose database fails tells everybody who waited, and goes on serving', async () => {
    const database = await open();
    await database.write((tx) => tx.jobs.enqueue('work', null));
    const desk = new JobDesk({ database, kinds: ['work'], owner: 'w', leaseMs: 500 });
    const rename = (from: string, to: string): Promise<number> =>
      database.write((tx) => tx.sql.run(`ALTER TABLE ${from} RENAME TO ${to}`));
    await rename('kernel_jobs', 'out_of_order');
    const refused = await Promise.allSettled([desk.claim(), desk.claim()]);
    expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await rename('out_of_order', 'kernel_jobs');
    expect(await desk.claim()).not.toBeNull();
  });
});

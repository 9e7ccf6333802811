import { expect, it } from 'vitest';
import { forgetEndedJobs, type JobClaim } from '../index.ts';
import { eachDatabase } from '../testing/index.ts';

eachDatabase('ended jobs', (open) => {
  it('EX-090: what ended long ago is forgotten with its attempts, oldest first; nothing that waits or runs is', async () => {
    let wall = 1_000;
    const database = await open({ wallClock: () => wall });
    const claim = async (): Promise<JobClaim> => {
      const [job] = await database.write((tx) => tx.jobs.claimMany(['work'], 'me', 1_000_000, 1));
      if (job === undefined) throw new Error('no job was ready');
      return job;
    };
    const ids = await database.write(async (tx) => {
      const made: string[] = [];
      for (let i = 0; i < 5; i++) made.push(await tx.jobs.enqueue('work', i, { maxAttempts: 1 }));
      return made;
    });
    const order: string[] = [];
    for (const end of ['complete', 'fail', 'complete'] as const) {
      const job = await claim();
      order.push(job.id);
      await database.write(async (tx) => {
        if (end === 'complete') await tx.jobs.complete(job);
        else await tx.jobs.fail(job, 'broken');
      });
      wall += 1_000;
    }
    const running = await claim();
    const left = async (): Promise<string[]> =>
      (await database.read((tx) => tx.sql.all<{ id: string }>('SELECT id FROM kernel_jobs'))).map(
        ({ id }) => id,
      );
    expect(await database.write((tx) => forgetEndedJobs(tx, 1_000, 10))).toBe(0);
    expect(await database.write((tx) => forgetEndedJobs(tx, wall, 2))).toBe(2);
    expect((await left()).sort()).toEqual(ids.filter((id) => !order.slice(0, 2).includes(id)).sort());
    expect(await database.write((tx) => forgetEndedJobs(tx, wall, 2))).toBe(1);
    expect(await database.write((tx) => forgetEndedJobs(tx, 1e15, 2))).toBe(0);
    expect((await left()).sort()).toEqual(ids.filter((id) => !order.includes(id)).sort());
    await database.write((tx) => tx.jobs.complete(running));
    const attempts = await database.read((tx) =>
      tx.sql.all<{ job: string }>('SELECT job FROM kernel_job_attempts'),
    );
    expect(attempts).toEqual([{ job: running.id }]);
  });
});

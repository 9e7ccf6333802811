/*
 * A worker that holds a lease and a job, and is late: `holder-process.ts <url>`. It prints `held`, waits
 * for a line on its standard input, then tries to finish and prints what it was told, as JSON.
 */
import { once } from 'node:events';
import { openDatabase } from '../src/index.ts';
import { probeMigrations } from './probe-schema.ts';

const database = await openDatabase({ url: process.argv[2] ?? '', migrations: probeMigrations });
const held = await database.write(async (tx) => ({
  lease: await tx.leases.claim('thing', 'slow', 300),
  job: await tx.jobs.claim(['work'], 'slow', 300),
}));
const { lease, job } = held;
if (lease === null || job === null) throw new Error('nothing to hold');
process.stdout.write('held\n');
await once(process.stdin, 'data');
const attempt = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'accepted',
    (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : 'unknown'),
  );
const answers = {
  guarded: await attempt(
    database.write(async (tx) => {
      await tx.leases.assert(lease);
      await tx.sql.run("UPDATE probe SET note = 'slow' WHERE id = 'effect'");
    }),
  ),
  renew: await attempt(database.write((tx) => tx.leases.renew(lease, 60_000))),
  heartbeat: await attempt(database.write((tx) => tx.jobs.heartbeat(job, 60_000))),
  complete: await attempt(database.write((tx) => tx.jobs.complete(job))),
  fail: await attempt(database.write((tx) => tx.jobs.fail(job, 'late'))),
};
process.stdout.write(`${JSON.stringify(answers)}\n`);
process.stdin.destroy();
await database.close();

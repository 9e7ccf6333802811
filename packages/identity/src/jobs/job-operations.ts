import {
  bindOperation,
  type BoundOperation,
  getJob,
  type JobView,
  listJobs,
  PalisadeError,
  registerJob,
} from '@palisade/contracts';
import type { ReadTx } from '@palisade/kernel';
import { pageOf } from '../callers/page.ts';
import { type Job, jobView, leaseOf } from './job.ts';
import type { JobDeps } from './job-deps.ts';
import { findJob, jobsOf } from './job-store.ts';
import { register } from './register-job.ts';

/** The operations on jobs, for sessions that have them and for whoever may read their project (AC-150, AC-151). */
export function jobOperations(deps: JobDeps): BoundOperation[] {
  const { database, clock } = deps;
  return [
    bindOperation(registerJob, (input, context) => register(deps, input, context)),
    bindOperation(getJob, async ({ job: id }, { project }) => {
      const now = await clock.now();
      return database.read(async (tx) => {
        const job = await findJob(tx, 'id', id);
        if (job?.project !== project)
          throw new PalisadeError('not_found', `there is no job ${id}`, {
            next: 'list those of the project',
          });
        return jobView(job, (await tx.leases.read(leaseOf(job)))?.expiresAt, now);
      });
    }),
    bindOperation(listJobs, async ({ state: states, ...page }, { project }) => {
      const now = await clock.now();
      return database.read((tx) =>
        pageOf(
          page,
          async (of) => viewsOf(tx, await jobsOf(tx, project, { states, ...of }), now),
          (view) => view,
        ),
      );
    }),
  ];
}

async function viewsOf(tx: ReadTx, jobs: readonly Job[], now: number): Promise<JobView[]> {
  const leases = await tx.leases.readMany(jobs.map(leaseOf));
  return jobs.map((job) => jobView(job, leases.get(leaseOf(job))?.expiresAt, now));
}

import {
  bindOperation,
  type BoundOperation,
  type CallContext,
  canonicalJson,
  getReporter,
  observeJob,
  PalisadeError,
  renewJob,
  type Reported,
} from '@palisade/contracts';
import type { ReadTx, WriteTx } from '@palisade/kernel';
import type * as z from 'zod';
import { change } from '../callers/change.ts';
import { unauthenticated } from '../callers/recheck.ts';
import { assertActive } from '../projects/project.ts';
import { existingProject } from '../projects/project-store.ts';
import { isFinal, type Job, jobView, LEASE_MS, leaseOf } from './job.ts';
import type { JobDeps } from './job-deps.ts';
import { findJob, insertObservation, toldBefore } from './job-store.ts';

type Observation = Omit<z.output<(typeof observeJob)['input']>, 'reporter'>;

/** What the reporter of a job may call (AC-152…AC-155). */
export function reporterOperations(deps: JobDeps): BoundOperation[] {
  return [
    bindOperation(getReporter, (input, context) => reported(deps, ownReporter(input, context))),
    bindOperation(observeJob, (input, context) => observe(deps, input, context)),
    bindOperation(renewJob, (input, context) => renew(deps, input, context)),
  ];
}

/** Its own id, under which it authenticated. */
function ownReporter({ reporter }: { readonly reporter: string }, { caller }: CallContext): string {
  if (caller.reporter !== reporter) throw unauthenticated();
  return reporter;
}

/** Keeps a report. It needs neither the session nor the lease, and frees nothing; it is taken while the clock is not trusted too (AO-201). */
async function observe(
  deps: JobDeps,
  input: z.output<(typeof observeJob)['input']>,
  context: CallContext,
): Promise<Reported> {
  const { reporter, ...told } = { ...input, reporter: ownReporter(input, context) };
  if (told.summary !== undefined) deps.scanText(told.summary, 'the summary');
  const made = { operation: observeJob, action: 'job.state_changed', target: reporter } as const;
  const how = { ...made, request: input, dryRun: undefined, whilePaused: true };
  await change(deps.database, context, how, async (tx) => {
    const job = await activeJob(tx, reporter);
    return { answer: {}, target: (await take(tx, job, told)) ? job.id : null };
  });
  return reported(deps, reporter);
}

/**
 * Takes a report that is newer than all before it, while the job has not ended (AC-154). One that was made before changes nothing.
 * True when the state is another one.
 */
async function take(
  tx: WriteTx,
  job: Job,
  { sequence, producer_id, ...seen }: Observation,
): Promise<boolean> {
  if (producer_id !== job.producer)
    throw new PalisadeError('invalid_state', 'producer_id is not the one of this job');
  const told = canonicalJson(seen);
  const before = await toldBefore(tx, job, sequence);
  if (before === told) return false;
  if (before !== undefined)
    throw new PalisadeError('already_exists', `report ${sequence} says something else`, {
      next: 'give what is new a greater number',
    });
  if (isFinal(job)) throw new PalisadeError('invalid_state', `the job ended: ${job.state}`);
  const last = job.observation?.sequence ?? 0;
  if (sequence <= last)
    throw new PalisadeError('invalid_state', `report ${sequence} is older than ${last}, which was made`);
  await insertObservation(tx, job, { sequence, state: seen.state, told });
  const lease = isFinal(seen) ? await tx.leases.read(leaseOf(job)) : null;
  if (lease !== null) await tx.leases.release(lease);
  return seen.state !== job.state;
}

/** Renews the lease up to its window, and never shortens it (AC-155). A repeated call is told what is left now (AC-029). */
async function renew(
  deps: JobDeps,
  input: z.output<(typeof renewJob)['input']>,
  context: CallContext,
): Promise<Reported> {
  const reporter = ownReporter(input, context);
  const made = { operation: renewJob, action: 'job.state_changed', target: reporter } as const;
  await change(deps.database, context, { ...made, request: input, dryRun: undefined }, async (tx) => {
    const job = await activeJob(tx, reporter);
    assertOpen(job);
    if (isFinal(job)) throw new PalisadeError('invalid_state', `the job ended: ${job.state}`);
    if (tx.now >= job.renewUntil)
      throw new PalisadeError('invalid_state', 'its lease is not to be renewed any more');
    const lease = await tx.leases.read(leaseOf(job));
    if (lease === null) throw new PalisadeError('lease_conflict', 'the job has no lease');
    await tx.leases.renew(lease, Math.min(LEASE_MS, job.renewUntil - tx.now));
    return { answer: {}, target: null };
  });
  return reported(deps, reporter, assertOpen);
}

/** AC-155: renewing needs the session. */
function assertOpen({ session, sessionClosedAt }: Job): void {
  if (sessionClosedAt === null) return;
  throw new PalisadeError('session_closed', `the session ${session} is closed: the job's lease ends`);
}

/** The job of a reporter. Nothing of an archived project changes (AC-070). */
async function activeJob(tx: ReadTx, reporter: string): Promise<Job> {
  const job = await findJob(tx, 'reporter', reporter);
  if (job === undefined) throw unauthenticated();
  assertActive(await existingProject(tx, job.project));
  return job;
}

/** What a reporter is told now; `assert` refuses it. The credential it stands on was good when it called. */
async function reported(
  { database, clock }: JobDeps,
  reporter: string,
  assert: (job: Job) => void = () => {},
): Promise<Reported> {
  const now = await clock.now();
  return database.read(async (tx) => {
    const job = await findJob(tx, 'reporter', reporter);
    if (job === undefined) throw unauthenticated();
    assert(job);
    const { archived } = await existingProject(tx, job.project);
    const leaseUntil = (await tx.leases.read(leaseOf(job)))?.expiresAt;
    const left = Math.max(0, Math.floor((leaseUntil ?? 0) - now));
    const isOpen = archived === null && !isFinal(job);
    const isHeld = isOpen && job.sessionClosedAt === null && left > 0;
    return {
      job: jobView(job, leaseUntil, now),
      launch_allowed: isHeld && job.state === 'registered',
      lease_remaining_ms: left,
      may_observe: isOpen,
      may_renew: isHeld && now < job.renewUntil,
    };
  });
}

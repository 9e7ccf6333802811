import { type CallContext, PalisadeError, registerJob } from '@palisade/contracts';
import type { ReadTx, WriteTx } from '@palisade/kernel';
import type * as z from 'zod';
import { change } from '../callers/change.ts';
import { findHarnessSession } from '../harness-sessions/harness-session-store.ts';
import { assertActive } from '../projects/project.ts';
import { existingProject } from '../projects/project-store.ts';
import { type Job, jobView, LEASE_MS, leaseOf, RENEW_AFTER_MS, REPORTS_MS } from './job.ts';
import type { JobDeps } from './job-deps.ts';
import { findJob, insertJob, isTaken } from './job-store.ts';

type Input = Omit<z.output<(typeof registerJob)['input']>, 'dry_run'>;
type Output = z.output<(typeof registerJob)['output']>;

/**
 * Registers a job, whose ids and proof its client made and kept before it asked: whatever becomes of the answer, it asks again and has
 * the same job (AC-150). Anything else under one of the ids is refused, so that none ever means a second start.
 */
export async function register(
  { database, scanText }: JobDeps,
  { dry_run: dryRun, ...input }: z.output<(typeof registerJob)['input']>,
  context: CallContext,
): Promise<Output> {
  scanText(input.label, 'the label');
  const { caller, project } = context;
  const session = caller.session ?? noSession();
  const made = { operation: registerJob, action: 'job.registered', target: input.job_id } as const;
  const { answer } = await change(database, context, { ...made, request: input, dryRun }, async (tx) => {
    assertActive(await existingProject(tx, project));
    const job = await asked(tx, input, { project, session });
    const found = await findJob(tx, 'id', job.id);
    if (found !== undefined) return { answer: await again(tx, found, job), target: null };
    if (await isTaken(tx, job)) throw taken('another job has its producer_id or reporter_id');
    await insertJob(tx, job);
    await tx.leases.claim(leaseOf(job), job.reporter, LEASE_MS);
    return { answer: await registered(tx, job), target: job.id };
  });
  return answer;
}

function noSession(): never {
  throw new PalisadeError('invalid_state', 'a job belongs to a harness session, and the call is in none', {
    next: 'register a session, and present it with the call',
  });
}

/** The job that an input describes. */
async function asked(
  tx: WriteTx,
  input: Input,
  { project, session: id }: Pick<Job, 'project' | 'session'>,
): Promise<Job> {
  // That it is open was looked at with the credential.
  const session = (await findHarnessSession(tx, id)) ?? noSession();
  if (session.workstation !== input.workstation_id)
    throw new PalisadeError('invalid_input', 'workstation_id is not the one of the session', {
      why: `the session works on ${session.workstation}`,
    });
  return {
    id: input.job_id,
    project,
    session: id,
    principal: session.principal,
    credential: session.credential,
    workstation: session.workstation,
    sessionClosedAt: session.closedAt,
    producer: input.producer_id,
    reporter: input.reporter_id,
    proofHash: input.reporter_verifier,
    label: input.label,
    sourceRevision: input.source_revision ?? null,
    sourceTree: input.source_tree ?? null,
    registeredAt: tx.now,
    renewUntil: tx.now + input.renew_for_seconds * 1_000,
    expiresAt: tx.now + REPORTS_MS,
    state: 'registered',
    observation: null,
  };
}

/** The job of an id that is known, to whoever registers it again just as it was. */
async function again(tx: WriteTx, found: Job, job: Job): Promise<Output> {
  const isSame =
    found.project === job.project &&
    found.session === job.session &&
    found.producer === job.producer &&
    found.reporter === job.reporter &&
    found.proofHash === job.proofHash &&
    found.label === job.label &&
    found.sourceRevision === job.sourceRevision &&
    found.sourceTree === job.sourceTree &&
    found.renewUntil - found.registeredAt === job.renewUntil - job.registeredAt;
  if (isSame) return registered(tx, found);
  throw taken(`the id ${job.id} is taken by a job that is another one`);
}

function taken(message: string): PalisadeError {
  return new PalisadeError('already_exists', message, {
    next: 'send what it was registered with, or make new ids and a new proof',
  });
}

async function registered(tx: ReadTx & { readonly now: number }, job: Job): Promise<Output> {
  const lease = await tx.leases.read(leaseOf(job));
  return {
    job: jobView(job, lease?.expiresAt, tx.now),
    ...(job.renewUntil > job.registeredAt ? { renew_after_seconds: RENEW_AFTER_MS / 1_000 } : {}),
  };
}

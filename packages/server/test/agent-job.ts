import { createHash, randomBytes } from 'node:crypto';
import {
  callerOf,
  createPrincipal,
  newId,
  PalisadeError,
  registerHarnessSession,
  registerJob,
} from '@palisade/contracts';
import type { Composition } from '../src/compose.ts';
import { describedAs, type KeptSession, newSession } from './agent-session.ts';

/** What a client makes and keeps of a job, and how its reporter presents itself. */
export interface KeptJob {
  readonly job: string;
  readonly producer: string;
  readonly reporter: string;
  readonly proof: string;
  readonly bearer: string;
}

export function newJob(): KeptJob {
  const [reporter, proof] = [newId('rep'), randomBytes(32).toString('hex')];
  const bearer = `palr_${reporter.slice('rep_'.length)}.${proof}`;
  return { job: newId('pjob'), producer: newId('prod'), reporter, proof, bearer };
}

/** The body of a registration. */
export const describedJob = ({ job, producer, reporter, proof }: KeptJob) => ({
  job_id: job,
  producer_id: producer,
  reporter_id: reporter,
  reporter_verifier: createHash('sha256').update(proof).digest('hex'),
  workstation_id: 'laptop',
  label: 'npm test',
  renew_for_seconds: 600,
});

/** An agent with a token that was really issued, in a session of its own, with a job in a project. */
export async function agentWithJob(
  { operations, identity }: Composition,
  project: string,
  name: string,
): Promise<{
  readonly token: string;
  readonly credential: string;
  readonly session: KeptSession;
  readonly job: KeptJob;
}> {
  const host = callerOf(operations);
  const { token = '', credential } = await host.call(createPrincipal, { name, kind: 'agent' });
  const [session, job] = [newSession(), newJob()];
  const presented = { session: session.id, proof: session.proof };
  const caller = await identity.authenticate(token);
  if (caller === null) throw new PalisadeError('internal', 'the token authenticates nobody');
  await host.call(registerHarnessSession, describedAs(session), { caller, actor: caller.actor, presented });
  const bound = await identity.bindSession(caller, presented);
  if (bound === null) throw new PalisadeError('internal', 'the session is not open');
  await host.call(registerJob, describedJob(job), { caller: bound, actor: bound.actor, project });
  return { token, credential: credential.id, session, job };
}

import { createHash, randomBytes } from 'node:crypto';
import {
  type Caller,
  getReporter,
  newId,
  observeJob,
  PalisadeError,
  registerJob,
  renewJob,
} from '@palisade/contracts';
import type { OpenDatabase } from '@palisade/kernel/testing';
import type * as z from 'zod';
import type { IdentityDeps } from '../src/index.ts';
import { newSession, sessionRig } from './session-rig.ts';

/** What a client makes and keeps before it registers a job. */
export function newJob() {
  const [reporter, proof] = [newId('rep'), randomBytes(32).toString('hex')];
  return {
    job: newId('pjob'),
    producer: newId('prod'),
    reporter,
    proof,
    bearer: `palr_${reporter.slice('rep_'.length)}.${proof}`,
  };
}
export type KeptJob = ReturnType<typeof newJob>;

type Registration = z.input<(typeof registerJob)['input']>;
type Report = z.input<(typeof observeJob)['input']>;

export const describedJob = (kept: KeptJob): Registration => ({
  job_id: kept.job,
  producer_id: kept.producer,
  reporter_id: kept.reporter,
  reporter_verifier: createHash('sha256').update(kept.proof).digest('hex'),
  workstation_id: 'laptop',
  label: 'npm test',
  renew_for_seconds: 0,
});

/** Identity with an agent that works in a session and registers jobs. */
export async function jobRig(
  open: (...args: Parameters<OpenDatabase>) => ReturnType<OpenDatabase>,
  options: Pick<IdentityDeps, 'sessionIdleDays'> = {},
) {
  const rig = await sessionRig(open, options);
  const { call, room } = rig;
  /** An agent in a session of its own. */
  const working = async (name: string) => {
    const agent = await rig.agent(name);
    const session = newSession();
    await rig.register(agent.caller, session);
    const bound = await room.bindSession(agent.caller, session);
    if (bound === null) throw new PalisadeError('internal', 'the session is not open');
    return { ...agent, session, bound };
  };
  /** The reporter of a job, as it authenticates. */
  const reporterOf = async ({ bearer, reporter }: KeptJob): Promise<Caller> => {
    const caller = await room.authenticateReporter(bearer, reporter);
    if (caller === null) throw new PalisadeError('internal', 'the bearer authenticates nobody');
    return caller;
  };
  const keyed = (key?: string) => (key === undefined ? {} : { idempotencyKey: key });
  return {
    ...rig,
    working,
    reporterOf,
    registerJob: (as: Caller, kept: KeptJob, more: Partial<Registration> = {}, key?: string) =>
      call(registerJob, { ...describedJob(kept), ...more }, as, keyed(key)),
    look: async (kept: KeptJob) => call(getReporter, { reporter: kept.reporter }, await reporterOf(kept)),
    report: async (kept: KeptJob, told: Pick<Report, 'sequence' | 'state'> & Partial<Report>, key?: string) =>
      call(
        observeJob,
        { reporter: kept.reporter, producer_id: kept.producer, ...told },
        await reporterOf(kept),
        keyed(key),
      ),
    renew: async (kept: KeptJob, key?: string) =>
      call(renewJob, { reporter: kept.reporter }, await reporterOf(kept), keyed(key)),
  };
}

import { FINAL_JOB_STATES, type JobObservation, type JobState, type JobView } from '@palisade/contracts';

/**
 * A process that a harness session has on its workstation, watched through a reporter (AC-150…AC-155). Registered, then whatever its
 * reporter says, until a state is final. Its lease runs from its registration on and is renewed by the reporter while the session is
 * open, up to `renewUntil`; reporting needs no lease, and ends at `expiresAt`.
 */
export interface Job {
  readonly id: string;
  readonly project: string;
  readonly session: string;
  /** Of the session, as are the three that follow. */
  readonly principal: string;
  readonly credential: string;
  readonly workstation: string;
  readonly sessionClosedAt: number | null;
  /** One start of the process. */
  readonly producer: string;
  readonly reporter: string;
  /** SHA-256 of the reporter's proof, hex; the proof is nowhere. */
  readonly proofHash: string;
  readonly label: string;
  readonly sourceRevision: string | null;
  readonly sourceTree: string | null;
  readonly registeredAt: number;
  readonly renewUntil: number;
  readonly expiresAt: number;
  readonly state: JobState;
  /** What was reported last; null: nothing. */
  readonly observation: JobObservation | null;
}

/** How long a lease runs without being renewed, and how long its reporter waits between renewals, ms. */
export const LEASE_MS = 300_000;
export const RENEW_AFTER_MS = 100_000;
/** How long a reporter may report (AC-150), ms. */
export const REPORTS_MS = 7 * 86_400_000;
/** A report that is older is not fresh, ms. */
const FRESH_MS = 120_000;

/** The name of a job's lease; its owner is the reporter. */
export function leaseOf({ id }: Pick<Job, 'id'>): string {
  return `producer-job:${id}`;
}

export function isFinal({ state }: Pick<Job, 'state'>): boolean {
  return FINAL_JOB_STATES.has(state);
}

/** AC-156: whoever is not heard of any more is `stale`, and neither stopped nor failed. */
function freshnessOf(job: Job, now: number): JobView['freshness'] {
  if (isFinal(job)) return 'final';
  if (job.observation === null) return 'unobserved';
  return now - job.observation.observed_at < FRESH_MS ? 'fresh' : 'stale';
}

/** A job as it is shown at a moment, with the end of its lease if it has one. */
export function jobView(job: Job, leaseUntil: number | undefined, now: number): JobView {
  const { sourceRevision, sourceTree, observation } = job;
  return {
    id: job.id,
    producer_id: job.producer,
    principal: job.principal,
    session: job.session,
    workstation_id: job.workstation,
    label: job.label,
    ...(sourceRevision === null ? {} : { source_revision: sourceRevision }),
    ...(sourceTree === null ? {} : { source_tree: sourceTree }),
    state: job.state,
    freshness: freshnessOf(job, now),
    ...(observation === null ? {} : { last_observation: observation }),
    registered_at: job.registeredAt,
    reporter: {
      id: job.reporter,
      expires_at: job.expiresAt,
      ...(leaseUntil === undefined ? {} : { lease_until: leaseUntil }),
      renew_until: job.renewUntil,
    },
  };
}

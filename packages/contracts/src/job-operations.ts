import * as z from 'zod';
import { HarnessSessionId, PrincipalId, ProducerId, ProducerJobId, ReporterId } from './credential.ts';
import { operation } from './operation.ts';
import { Cursor, page } from './page.ts';
import { ArgumentText, Millis, Name, ProgramText } from './schema.ts';

/** How a job is, as its reporter said last (AC-151). The last three are final. */
export const JobState = z.enum(['registered', 'running', 'unknown', 'succeeded', 'failed', 'not_started']);
export type JobState = z.infer<typeof JobState>;

/** States that nothing that is reported later changes. */
export const FINAL_JOB_STATES: ReadonlySet<JobState> = new Set(['succeeded', 'failed', 'not_started']);

/** A commit or tree of Git, as hex. */
const GitObject = z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/, 'must be 40 or 64 lower-case hex digits');

const described = {
  label: ProgramText.max(200),
  /** The commit and the tree it works on, as its client says. */
  source_revision: GitObject.optional(),
  source_tree: GitObject.optional(),
};

/** What a reporter saw of a process (AC-154). `unknown`: nobody knows what became of it; that is not final. */
const observed = {
  state: JobState.exclude(['registered']),
  pid: z.int().min(1).max(4_294_967_295).optional(),
  /** When the operating system says that it started, in its own terms: with the pid it is one process and no other. */
  process_started_at: ProgramText.max(128).optional(),
  /** Of what succeeded or failed, and of nothing else. */
  exit_code: z.int().min(-2_147_483_648).max(4_294_967_295).optional(),
  /** Whether the source is still what it was when the job began. */
  inputs_unchanged: z.boolean().optional(),
  summary: ArgumentText.max(2_000).optional(),
};
const sequence = z.int().min(1).max(100_000);

export const JobObservation = z.strictObject({ sequence, ...observed, observed_at: Millis });
export type JobObservation = z.infer<typeof JobObservation>;

/** A job as it is shown: never the proof of its reporter, nor what that is checked with. */
export const JobView = z.strictObject({
  id: ProducerJobId,
  producer_id: ProducerId,
  principal: PrincipalId,
  session: HarnessSessionId,
  workstation_id: Name,
  ...described,
  state: JobState,
  /** Whether what is known of it is new: `stale` says that nobody saw it lately, not that it ended. */
  freshness: z.enum(['unobserved', 'fresh', 'stale', 'final']),
  last_observation: JobObservation.optional(),
  registered_at: Millis,
  reporter: z.strictObject({
    id: ReporterId,
    /** Until when it may report, whatever becomes of the lease. */
    expires_at: Millis,
    /** Until when the lease runs; absent of a job that ended. */
    lease_until: Millis.optional(),
    /** The latest moment that the lease can be renewed to. */
    renew_until: Millis,
  }),
});
export type JobView = z.infer<typeof JobView>;

/** What a reporter is told of its job and of what it may do itself (AC-153). */
const Reported = z.strictObject({
  job: JobView,
  /** Whether the process may be started now, and how much of that permission is left. */
  launch_allowed: z.boolean(),
  lease_remaining_ms: z.int().nonnegative(),
  may_observe: z.boolean(),
  may_renew: z.boolean(),
});
export type Reported = z.infer<typeof Reported>;

export const registerJob = operation({
  id: 'jobs.register',
  method: 'POST',
  path: '/v1/projects/{project}/jobs',
  summary:
    'Register a process that the harness session has on its workstation, with the reporter that will tell of it; the client made and kept all ids, and the proof that is told by its hash alone',
  effect: 'mutation',
  access: 'write',
  input: z.strictObject({
    job_id: ProducerJobId,
    /** One start of the process: a repetition never means another one. */
    producer_id: ProducerId,
    reporter_id: ReporterId,
    /** SHA-256, hex, of the 64 hex digits that the reporter will prove itself with. */
    reporter_verifier: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex digits'),
    /** As the session has it. */
    workstation_id: Name,
    ...described,
    /** How long the reporter may renew the lease by itself, s; 0: not at all. */
    renew_for_seconds: z.int().min(0).max(3_600),
    dry_run: z.boolean().optional(),
  }),
  output: z.strictObject({
    job: JobView,
    /** How long to wait between renewals; absent where there are none. */
    renew_after_seconds: z.int().positive().optional(),
  }),
  bodyBytes: 16 * 1024,
  errors: ['already_exists', 'invalid_state', 'credential_in_text'],
});

export const listJobs = operation({
  id: 'jobs.list',
  method: 'GET',
  path: '/v1/projects/{project}/jobs',
  summary: 'Jobs of a project, those with the latest ids first',
  effect: 'read',
  access: 'read',
  input: z.strictObject({ ...page, state: z.array(JobState).optional() }),
  output: z.strictObject({
    data: z.array(JobView),
    has_more: z.boolean(),
    next_cursor: Cursor.optional(),
  }),
  errors: [],
});

export const getJob = operation({
  id: 'jobs.get',
  method: 'GET',
  path: '/v1/projects/{project}/jobs/{job}',
  summary: 'A job, and what was last seen of it',
  effect: 'read',
  access: 'read',
  input: z.strictObject({ job: ProducerJobId }),
  output: JobView,
  errors: ['not_found'],
});

const one = { reporter: ReporterId };

export const getReporter = operation({
  id: 'reporters.get',
  method: 'GET',
  path: '/v1/reporters/{reporter}',
  summary: 'The job that a reporter tells of, and whether its process may be started now',
  effect: 'read',
  access: 'reporter',
  input: z.strictObject(one),
  output: Reported,
  errors: [],
});

export const observeJob = operation({
  id: 'reporters.observe',
  method: 'POST',
  path: '/v1/reporters/{reporter}/observations',
  summary: 'Report what became of a job; each report has a greater number than the one before',
  effect: 'mutation',
  access: 'reporter',
  input: z
    .strictObject({ ...one, sequence, producer_id: ProducerId, ...observed })
    .refine(({ state, exit_code: code }) => (code !== undefined) === /^(succeeded|failed)$/.test(state), {
      path: ['exit_code'],
      message: 'belongs to what succeeded or failed, and to nothing else',
    }),
  output: Reported,
  bodyBytes: 16 * 1024,
  errors: ['already_exists', 'invalid_state', 'project_archived', 'credential_in_text'],
});

export const renewJob = operation({
  id: 'reporters.renew',
  method: 'POST',
  path: '/v1/reporters/{reporter}/renew',
  summary: 'Renew the lease of a job while the session that registered it is open',
  effect: 'mutation',
  access: 'reporter',
  input: z.strictObject(one),
  output: Reported,
  bodyBytes: 4 * 1024,
  errors: ['invalid_state', 'lease_conflict', 'session_closed', 'project_archived'],
});

import { PRINCIPAL } from './sample-credentials.ts';

const REGISTERED = {
  id: `pjob_${'6'.repeat(32)}`,
  producer_id: `prod_${'6'.repeat(32)}`,
  principal: PRINCIPAL.id,
  session: `hses_${'3'.repeat(32)}`,
  workstation_id: 'laptop',
  label: 'npm test',
  state: 'registered',
  freshness: 'unobserved',
  registered_at: Date.UTC(2026, 0, 1),
  reporter: {
    id: `rep_${'6'.repeat(32)}`,
    expires_at: Date.UTC(2026, 0, 8),
    lease_until: Date.UTC(2026, 0, 1, 0, 5),
    renew_until: Date.UTC(2026, 0, 1, 1),
  },
} as const;
const { lease_until: _, ...ended } = REGISTERED.reporter;
const FAILED = {
  ...REGISTERED,
  id: `pjob_${'7'.repeat(32)}`,
  source_revision: 'a'.repeat(40),
  state: 'failed',
  freshness: 'final',
  last_observation: {
    sequence: 3,
    state: 'failed',
    pid: 4711,
    exit_code: 1,
    inputs_unchanged: false,
    summary: '2 of 40 tests failed',
    observed_at: Date.UTC(2026, 0, 2),
  },
  reporter: ended,
} as const;
const STALE = {
  ...REGISTERED,
  id: `pjob_${'8'.repeat(32)}`,
  state: 'running',
  freshness: 'stale',
  last_observation: { sequence: 1, state: 'running', pid: 4712, observed_at: Date.UTC(2026, 0, 1) },
} as const;

/** What the commands of jobs are tried with. */
export const jobCases = {
  'job list': { args: ['job', 'list'], flags: { limit: ['2'], cursor: ['next'], state: ['running'] } },
  'job show': { args: ['job', 'show', FAILED.id] },
};

/** What a server answers them: a job that nobody saw yet, one that ended and one that was lost sight of. */
export const jobAnswers = {
  'jobs.list': { data: [STALE, FAILED, REGISTERED], has_more: false },
  'jobs.get': FAILED,
};

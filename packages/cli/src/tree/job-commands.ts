import { argument, command, flag, pageFlags } from './declaration.ts';

export const jobListCommand = command({
  path: 'job list',
  summary: 'Processes that sessions have on their workstations',
  args: {},
  flags: {
    ...pageFlags,
    state: flag.choice(
      ['registered', 'running', 'unknown', 'succeeded', 'failed', 'not_started'],
      'only those in this state',
    ),
  },
  effect: 'read',
});

export const jobShowCommand = command({
  path: 'job show',
  summary: 'A job, and what was last seen of it',
  args: { job: argument.required('id of the job, pjob_…') },
  flags: {},
  effect: 'read',
});

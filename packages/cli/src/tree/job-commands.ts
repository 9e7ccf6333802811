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

export const jobRunCommand = command({
  path: 'job run',
  summary: 'Start a local process in the background, and report how it is',
  args: { program: argument.variadic('the program and its arguments, behind --') },
  flags: {
    label: flag.string('TEXT', 'what others see of it (default: the name of the program)'),
    env: flag.list(
      'NAME',
      'a variable that the process is given besides the harmless ones; PREFIX* for several',
    ),
    logLimit: flag.integer(
      'BYTES',
      'most that is kept of each of its outputs (default 16777216; 0: nothing)',
    ),
  },
  effect: 'mutation',
  notes:
    'It belongs to the session that was started here. Arguments, variables and outputs stay on this machine, in jobs of the\nstate directory. The command ends when the process has begun: pal job show tells of its end.',
});

export const jobReconnectCommand = command({
  path: 'job reconnect',
  summary: 'Report what can be seen of a job whose guardian ended; starts nothing',
  args: { job: argument.required('id of a job that was started here, pjob_…') },
  flags: {},
  effect: 'read',
});

export const jobGuardCommand = command({
  path: 'job guard',
  summary: 'Start the process of a registered job once, and report on it until it ends',
  args: { job: argument.required('id of the job, pjob_…') },
  flags: {},
  effect: 'read',
  hidden: true,
});

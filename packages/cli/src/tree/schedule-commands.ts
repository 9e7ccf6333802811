import { argument, command, flag } from './declaration.ts';
import { wishFlags } from './run-commands.ts';

const name = { name: argument.required('name of the schedule') };

export const scheduleAddCommand = command({
  path: 'schedule add',
  summary: 'Start runs of a plan at times of a cron expression',
  args: { ...name, plan: argument.required('plan file, JSON; - reads standard input', 'file') },
  flags: {
    cron: flag.string('EXPR', 'five fields in quotes, e.g. "30 2 * * *"'),
    zone: flag.string('ZONE', 'time zone by IANA name (default UTC)'),
    catchUp: flag.choice(
      ['latest', 'skip', 'all'],
      'what to make up for of times nobody served; default latest',
    ),
    catchUpLimit: flag.integer('N', 'with --catch-up all: at most the last N (default 10)'),
    overlap: flag.choice(
      ['allow', 'skip'],
      'while the last run goes on: another beside it, or none; default allow',
    ),
    ...wishFlags,
  },
  effect: 'mutation',
  notes:
    'The plan is kept as it is now; names in it, the base and the sandbox are resolved again each time. An engine stays for as long as schedules wait. A run is named NAME@TIME.',
});

export const scheduleListCommand = command({
  path: 'schedule list',
  summary: 'Schedules, their next times and their troubles',
  args: {},
  flags: {},
  effect: 'read',
});

export const scheduleShowCommand = command({
  path: 'schedule show',
  summary: 'One schedule: next times, last runs, last error',
  args: name,
  flags: {},
  effect: 'read',
});

export const schedulePauseCommand = command({
  path: 'schedule pause',
  summary: 'Let its times go by until it is resumed',
  args: name,
  flags: {},
  effect: 'mutation',
});

export const scheduleResumeCommand = command({
  path: 'schedule resume',
  summary: 'Let a schedule go on with its next time, and an engine be there for it',
  args: name,
  flags: {},
  effect: 'mutation',
});

export const scheduleRmCommand = command({
  path: 'schedule rm',
  summary: 'Forget a schedule; its runs stay',
  args: name,
  flags: {},
  effect: 'mutation',
});

export const scheduleRunNowCommand = command({
  path: 'schedule run-now',
  summary: 'Start a run of its plan now, whatever its times',
  args: name,
  flags: {},
  effect: 'mutation',
});

import { argument, command, flag } from './declaration.ts';

const file = { file: argument.required('a file of the repository', 'file') };
const base = { base: argument.optional('what to compare with (default: the commit before this one)') };

export const repoIndexCommand = command({
  path: 'repo index',
  summary: 'Bring the memory of this repository up to date: history, symbols, imports',
  args: {},
  flags: { rebuild: flag.boolean('make everything anew, and look for damage first') },
  effect: 'read',
  notes:
    'It is kept in the git directory, for all work trees, and reads nothing but the repository:\nno server, no network, no model. What is there already is not read again.',
});

export const repoDoctorCommand = command({
  path: 'repo doctor',
  summary: 'Whether the memory of this repository is there and up to date',
  args: {},
  flags: {},
  effect: 'read',
});

export const repoExplainCommand = command({
  path: 'repo explain',
  summary: 'What is known of a file: risk, what changes with it, tests, decisions',
  args: file,
  flags: {},
  effect: 'read',
});

export const repoSafeCommand = command({
  path: 'repo safe',
  summary: 'Whether a file can be edited as it is, or what to look at before',
  args: file,
  flags: {},
  effect: 'read',
});

export const repoPlanCommand = command({
  path: 'repo plan',
  summary: 'In which steps to change a file, what to read and what to run',
  args: { ...file, goal: argument.optional('what is to be done') },
  flags: {},
  effect: 'read',
});

export const repoRiskCommand = command({
  path: 'repo risk',
  summary: 'The files where changes go wrong most easily',
  args: {},
  flags: { limit: flag.limit('at most N files (default 20)') },
  effect: 'read',
});

export const repoNeighborsCommand = command({
  path: 'repo neighbors',
  summary: 'The files that change in the same commits as a file',
  args: file,
  flags: { limit: flag.limit('at most N files (default 10)') },
  effect: 'read',
});

export const repoChangedCommand = command({
  path: 'repo changed',
  summary: 'What is changed in the work tree now, and what that touches',
  args: {},
  flags: {},
  effect: 'read',
});

export const repoReviewCommand = command({
  path: 'repo review',
  summary: 'Every file that is changed since a commit, the most urgent first',
  args: base,
  flags: { limit: flag.limit('show at most N files (default 40); --json has all') },
  effect: 'read',
});

export const repoHandoffCommand = command({
  path: 'repo handoff',
  summary: 'What whoever goes on has to know: task, change, checks',
  args: base,
  flags: {},
  effect: 'read',
});

export const repoPreflightCommand = command({
  path: 'repo preflight',
  summary: 'Before a task is begun: the files it is about, how safe each is, what to read and run',
  args: { task: argument.required('what is to be done') },
  flags: { scope: flag.list('PATH', 'a file or folder that it is about (default: what is changed)') },
  effect: 'read',
});

export const repoDecisionsCommand = command({
  path: 'repo decisions',
  summary: 'What was decided, by the messages of commits and closed reviews',
  args: { query: argument.required('a text that they hold') },
  flags: { limit: flag.limit('at most N of them (default 10)') },
  effect: 'read',
});

export const repoMapCommand = command({
  path: 'repo map',
  summary: 'The most important files and what they define, within a budget of tokens',
  args: {},
  flags: {
    tokens: flag.integer('N', 'about how many tokens (default 2000)', { least: 50 }),
    around: flag.list('FILE', 'what matters to this file, not to all'),
  },
  effect: 'read',
});

export const repoCheckCommand = command({
  path: 'repo check',
  summary: "Run the project's own checks of the present change: fast, safe or full",
  args: { tier: argument.required('fast (what concerns it), safe (all tests) or full (the whole project)') },
  flags: { timeout: flag.duration('how long each command may take (default 15m)') },
  effect: 'mutation',
  notes:
    'Exit 1 when a command fails. All commands of the tier are run, and how they ended is kept with the commit.',
});

export const repoTaskStartCommand = command({
  path: 'repo task-start',
  summary: 'Say what is being done on this branch, and where',
  args: { goal: argument.required('what is to be reached') },
  flags: { scope: flag.list('PATH', 'a file or folder that may change') },
  effect: 'mutation',
  notes:
    'For four hours, review and changed say which files are outside of it. Without --scope any file may change.',
});

export const repoTaskShowCommand = command({
  path: 'repo task-show',
  summary: 'The task of this branch and what is changed outside of it',
  args: {},
  flags: {},
  effect: 'read',
});

export const repoTaskClearCommand = command({
  path: 'repo task-clear',
  summary: 'The task of this branch is done',
  args: {},
  flags: {},
  effect: 'mutation',
});

export const repoAgentsCommand = command({
  path: 'repo agents',
  summary: 'What to tell agents of these commands, for AGENTS.md',
  args: {},
  flags: {},
  effect: 'read',
});

export const repoAgentsInstallCommand = command({
  path: 'repo agents-install',
  summary: 'Put it into AGENTS.md and CLAUDE.md of this repository, in place of an older one',
  args: {},
  flags: {},
  effect: 'mutation',
});

import { argument, command, flag, pageFlags } from './declaration.ts';

const key = argument.optional('key of the project; the one in use when left out');

export const projectCreateCommand = command({
  path: 'project create',
  summary: 'Create a project; its key is for ever',
  args: { key: argument.required('a-z, 0-9 and -, such as web-shop') },
  flags: {
    title: flag.string('TITLE', 'what people call it'),
    repositoryUrl: flag.string('URL', 'where its repository is cloned from'),
    targetBranch: flag.string('BRANCH', 'where its work goes in the end'),
  },
  effect: 'mutation',
  notes:
    'Runs, names, secrets and queues are of one project, and no other sees them. Choose one with --project, the setting\nproject or PALISADE_PROJECT; without any it is the project default.',
});

export const projectListCommand = command({
  path: 'project list',
  summary: 'Projects that are not archived',
  args: {},
  flags: { archived: flag.boolean('those that are archived, and no others'), ...pageFlags },
  effect: 'read',
});

export const projectShowCommand = command({
  path: 'project show',
  summary: 'A project',
  args: { key },
  flags: {},
  effect: 'read',
});

export const projectArchiveCommand = command({
  path: 'project archive',
  summary: 'Archive a project: what it has can be read, and nothing of it starts or changes',
  args: { key: argument.required('key of the project') },
  flags: { reason: flag.string('WHY', 'kept with the project') },
  effect: 'mutation',
});

export const projectRestoreCommand = command({
  path: 'project restore',
  summary: 'Take up an archived project again',
  args: { key: argument.required('key of the project') },
  flags: { reason: flag.string('WHY', 'kept in the audit record') },
  effect: 'mutation',
});

export const projectPolicyCommand = command({
  path: 'project policy',
  summary: "A project's policy: what its work is held to",
  args: { key },
  flags: { revision: flag.integer('N', 'as it was in this revision') },
  effect: 'read',
});

export const projectPolicySetCommand = command({
  path: 'project policy-set',
  summary: "Replace a project's policy by the one in a file",
  args: { key },
  flags: {
    file: flag.string('FILE', 'the whole policy as JSON; - reads standard input', { short: 'f' }),
    revision: flag.integer('N', 'the revision it was made from, when the file does not say'),
    reason: flag.string('WHY', 'kept with the revision'),
  },
  effect: 'mutation',
  notes:
    'The file is what pal project policy --json prints, changed. It is refused when somebody set the policy since.',
});

export const projectPolicyHistoryCommand = command({
  path: 'project policy-history',
  summary: "Every revision of a project's policy, newest first",
  args: { key },
  flags: pageFlags,
  effect: 'read',
});

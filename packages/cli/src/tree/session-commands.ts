import { argument, command, flag } from './declaration.ts';

const proof = {
  file: flag.string('FILE', 'read the proof from FILE; - waits for standard input', { short: 'f' }),
};
const own = {
  session: argument.optional('id of the session, hses_… (default: the one that was started here)'),
};
const session = { session: argument.required('id of the session, hses_…') };

const described = {
  capability: flag.list('NAME', 'what the program can do'),
  subagent: flag.string('NAME', 'who works in it, for the session of --parent'),
  parent: flag.string('SESSION', 'the session that begins this one'),
};

export const sessionStartCommand = command({
  path: 'session start',
  summary: 'Begin the session that commands here work in, or go on with it',
  args: {},
  flags: {
    harness: flag.string('NAME', 'the program that works (default: the agent that this runs under)'),
    workstation: flag.string('NAME', 'the machine it works on (default: its host name)'),
    ...described,
  },
  effect: 'read',
  notes:
    'It is of one server, project and --session NAME: later commands of the three present it by themselves. One that was\nclosed is replaced by another of the same description.',
});

export const sessionAdoptCommand = command({
  path: 'session adopt',
  summary: 'Let commands here go on in a session that another program registered',
  args: session,
  flags: {
    ...proof,
    workstation: flag.string('NAME', 'what this machine is called there (default: its host name)'),
  },
  effect: 'mutation',
  notes:
    'Such as the one that an MCP client names in its headers. It has to be open, of the credential here and of this machine;\nnothing is registered or renewed. End the changes of that program before: it keeps its own journal of them.',
});

export const sessionMigrateCommand = command({
  path: 'session migrate',
  summary: 'Take over the session that another state directory holds',
  args: {},
  flags: { from: flag.string('DIR', 'the other state directory (required)') },
  effect: 'mutation',
  notes:
    'It is of the same server, project, credential and --session NAME. It stays in DIR too; no change may be open in either.',
});

export const sessionRegisterCommand = command({
  path: 'session register',
  summary: 'Register the session that a harness works in',
  args: session,
  flags: {
    ...proof,
    harness: flag.string('NAME', 'the program that works, such as claude-code (required)'),
    workstation: flag.string('NAME', 'the machine it works on (required)'),
    ...described,
  },
  effect: 'mutation',
  notes:
    'The id is hses_ and 32 hex digits of a UUID, the proof 64 random hex digits. Make and keep both before: whatever becomes\nof the answer, the same command again gives the same session.',
});

export const sessionListCommand = command({
  path: 'session list',
  summary: 'Sessions that are open, the last active first',
  args: {},
  flags: { activeWithinHours: flag.integer('N', 'only those changed in so lately (default 24; 0 for all)') },
  effect: 'read',
});

export const sessionShowCommand = command({
  path: 'session show',
  summary: 'A session, open or closed',
  args: own,
  flags: {},
  effect: 'read',
});

export const sessionCloseCommand = command({
  path: 'session close',
  summary: 'Close a session for ever; what was begun in it goes on',
  args: own,
  flags: proof,
  effect: 'mutation',
  notes: 'One that was not started here is closed with its proof, or by an administrator.',
});

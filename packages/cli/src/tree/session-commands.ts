import { argument, command, flag } from './declaration.ts';

const proof = {
  file: flag.string('FILE', 'read the proof from FILE; - waits for standard input', { short: 'f' }),
};
const session = { session: argument.required('id of the session, hses_…') };

export const sessionRegisterCommand = command({
  path: 'session register',
  summary: 'Register the session that a harness works in',
  args: session,
  flags: {
    ...proof,
    harness: flag.string('NAME', 'the program that works, such as claude-code (required)'),
    workstation: flag.string('NAME', 'the machine it works on (required)'),
    capability: flag.list('NAME', 'what the program can do'),
    subagent: flag.string('NAME', 'who works in it, for the session of --parent'),
    parent: flag.string('SESSION', 'the session that begins this one'),
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
  args: session,
  flags: {},
  effect: 'read',
});

export const sessionCloseCommand = command({
  path: 'session close',
  summary: 'Close a session for ever; what was begun in it goes on',
  args: session,
  flags: proof,
  effect: 'mutation',
  notes: 'Without --file only an administrator closes one.',
});

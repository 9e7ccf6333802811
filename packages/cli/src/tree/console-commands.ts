import { argument, command, flag } from './declaration.ts';

const GATE_TYPES = ['human', 'agent', 'any'] as const;
const GATE_VERDICTS = ['approve', 'allow', 'deny'] as const;
const REVIEW_DECISIONS = ['proceed', 'revise', 'decline'] as const;

const ended = { all: flag.boolean('those that are over, too') };
const repo = { repo: flag.string('DIR', 'the repository around DIR (default: around this directory)') };
const by = { by: flag.string('WHO', 'who decides, such as human:ada (default: the session, or --actor)') };
const WHO =
  '--session says whose it is, as PROVIDER:ID or a beginning of the id of a session that is known; a command that\nconsole run started has its own (PALISADE_CONSOLE_SESSION).';

export const consoleListCommand = command({
  path: 'console list',
  summary: 'The agents on this machine: what runs, what each says that it does, and holds',
  args: {},
  flags: {
    all: flag.boolean('those without a terminal and those long quiet, too'),
    watch: flag.boolean('look again every two seconds'),
  },
  effect: 'read',
});

export const consoleShowCommand = command({
  path: 'console show',
  summary: 'One session: its manifest, its claims, and what waits for it',
  args: { session: argument.optional('PROVIDER:ID, or a beginning of its id (default: --session)') },
  flags: {},
  effect: 'read',
});

export const consoleManifestSetCommand = command({
  path: 'console manifest-set',
  summary: 'Say what a session does: goal, step, files, risks',
  args: {},
  flags: {
    goal: flag.string('TEXT', 'what is to be reached'),
    step: flag.string('TEXT', 'what is being done now'),
    file: flag.list('FILE', 'a file that it changes'),
    next: flag.list('TEXT', 'what it does next'),
    risk: flag.list('TEXT', 'what may go wrong'),
    blocker: flag.list('TEXT', 'what it waits for'),
    stop: flag.string('TEXT', 'when it stops'),
  },
  effect: 'mutation',
  notes: `What is not given stays as it was; an empty text takes it back.\n${WHO}`,
});

export const consoleHandoffWriteCommand = command({
  path: 'console handoff-write',
  summary: 'Leave work to another session, or to whoever goes on',
  args: { summary: argument.required('what was done, and where it stands') },
  flags: {
    to: flag.string('SESSION', 'only this session may accept it'),
    next: flag.list('TEXT', 'what is still to do'),
    blocker: flag.list('TEXT', 'what is in the way'),
  },
  effect: 'mutation',
  notes: WHO,
});

export const consoleHandoffListCommand = command({
  path: 'console handoff-list',
  summary: 'What was left to others and nobody has accepted',
  args: {},
  flags: {
    ...ended,
    to: flag.string('SESSION', 'those for this session or for anybody'),
    here: flag.boolean('only of this repository'),
  },
  effect: 'read',
});

export const consoleHandoffAcceptCommand = command({
  path: 'console handoff-accept',
  summary: 'Take over what another session left',
  args: { handoff: argument.required('its id') },
  flags: {},
  effect: 'mutation',
  notes: WHO,
});

export const consoleClaimAcquireCommand = command({
  path: 'console claim-acquire',
  summary: 'Lease files or folders of this repository: all of them, or none',
  args: { path: argument.variadic('a file or folder; . is the whole repository', 'file') },
  flags: {
    ...repo,
    ttl: flag.duration('how long the lease lasts (default 30m)'),
    intent: flag.string('TEXT', 'what for'),
  },
  effect: 'mutation',
  notes: `Exit 5 when another session holds one of them, something below it, or a folder around it. What the session holds\nalready is renewed. All work trees of a repository share their claims.\n${WHO}`,
});

export const consoleClaimReleaseCommand = command({
  path: 'console claim-release',
  summary: 'End claims of a session',
  args: { claim: argument.variadic('ids of claims') },
  flags: {
    ...repo,
    file: flag.list('PATH', 'the claim of this path'),
    all: flag.boolean('all that the session holds'),
  },
  effect: 'mutation',
  notes: WHO,
});

export const consoleClaimListCommand = command({
  path: 'console claim-list',
  summary: 'Who holds what: of this repository, or outside of one of all',
  args: {},
  flags: { ...repo, ...ended },
  effect: 'read',
});

export const consoleAuthorityRequestCommand = command({
  path: 'console authority-request',
  summary: 'Ask for leave to do something, or leave a message',
  args: { action: argument.required('what is to be done') },
  flags: {
    level: flag.string('NAME', 'what kind of leave it takes (default: message, which takes none)'),
    target: flag.string('TEXT', 'what or whom it is about; a session in full, as console list shows it'),
    details: flag.string('TEXT', 'why, and what else matters'),
  },
  effect: 'mutation',
  notes: `Nothing is done by asking, and nothing is said to another session: it looks with authority-list.\n${WHO}`,
});

export const consoleAuthorityDecideCommand = command({
  path: 'console authority-decide',
  summary: 'Approve or deny what was asked for, once; or say that it was done',
  args: { request: argument.required('its id') },
  flags: {
    approve: flag.boolean('it may be done'),
    deny: flag.boolean('it may not be done'),
    dispatched: flag.boolean('what was approved is done, or a message was heeded'),
    reason: flag.string('TEXT', 'why'),
    ...by,
  },
  effect: 'mutation',
  notes:
    'Who asked cannot decide. This is agreement among processes of one user: it keeps nobody from doing without asking.',
});

export const consoleAuthorityListCommand = command({
  path: 'console authority-list',
  summary: 'What was asked for, and is not decided or not done',
  args: {},
  flags: {
    ...ended,
    level: flag.string('NAME', 'only of this level'),
    target: flag.string('TEXT', 'only about this'),
  },
  effect: 'read',
});

export const consoleGateOpenCommand = command({
  path: 'console gate-open',
  summary: 'Open a gate that waits until enough others allow something',
  args: { event: argument.required('what is to be allowed') },
  flags: {
    type: flag.choice(GATE_TYPES, 'who may attest (default: human)'),
    required: flag.integer('N', 'how many different attesters it needs (default 1)'),
  },
  effect: 'mutation',
});

export const consoleGateAttestCommand = command({
  path: 'console gate-attest',
  summary: 'Allow or deny what a gate waits for; one denial rejects it',
  args: { gate: argument.required('its id') },
  flags: {
    verdict: flag.choice(GATE_VERDICTS, 'what is attested'),
    evidence: flag.string('TEXT', 'what it rests on'),
    ...by,
  },
  effect: 'mutation',
  notes: 'Who opened the gate cannot attest to it.',
});

export const consoleGateListCommand = command({
  path: 'console gate-list',
  summary: 'The gates that are open, and who has attested',
  args: {},
  flags: ended,
  effect: 'read',
});

export const consoleReviewCreateCommand = command({
  path: 'console review-create',
  summary: 'Ask somebody else to look at something',
  args: { subject: argument.required('what is to be looked at') },
  flags: { details: flag.string('TEXT', 'what to look for') },
  effect: 'mutation',
});

export const consoleReviewShowCommand = command({
  path: 'console review-show',
  summary: 'One review, or all that are open',
  args: { review: argument.optional('its id') },
  flags: {},
  effect: 'read',
});

export const consoleReviewCloseCommand = command({
  path: 'console review-close',
  summary: 'Decide a review, once',
  args: { review: argument.required('its id') },
  flags: {
    decision: flag.choice(REVIEW_DECISIONS, 'what is to become of it'),
    note: flag.string('TEXT', 'why'),
    ...by,
  },
  effect: 'mutation',
});

export const consoleRunCommand = command({
  path: 'console run',
  summary: 'Run a command that others can watch and interrupt: console run -- CMD ARGS',
  args: { command: argument.variadic('the command and its arguments, behind --') },
  flags: {
    id: flag.string('ID', 'what it is called; the same id again is the next run of it'),
    cwd: flag.string('DIR', 'where it runs (default: here)'),
    log: flag.string('FILE', 'where what it writes is appended'),
    background: flag.boolean('leave it running, whatever becomes of this terminal'),
  },
  effect: 'read',
  notes:
    'It runs with pipes and has no terminal, so it suits commands that need none. Exit 1 when it does not end with 0.\nNothing but what was started so can be interrupted from here.',
});

export const consoleOwnedListCommand = command({
  path: 'console owned-list',
  summary: 'The commands that console run has started and that run',
  args: {},
  flags: ended,
  effect: 'read',
});

export const consoleOwnedShowCommand = command({
  path: 'console owned-show',
  summary: 'One command that console run has started: its processes, and how it ended',
  args: { id: argument.required('its id') },
  flags: {},
  effect: 'read',
});

export const consoleReadCommand = command({
  path: 'console read',
  summary: 'The end of what such a command wrote',
  args: { id: argument.required('its id') },
  flags: { tail: flag.integer('N', 'the last N lines (default 200)') },
  effect: 'read',
});

export const consoleInterruptCommand = command({
  path: 'console interrupt',
  summary: 'Send SIGINT to such a command and everything in its process group',
  args: { id: argument.required('its id') },
  flags: {},
  effect: 'mutation',
});

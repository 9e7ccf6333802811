import type { USAGE_KEYS } from '@palisade/contracts';
import { argument, command, flag } from './declaration.ts';

/** Spelled out: help reads no contracts. */
const BY: typeof USAGE_KEYS = ['agent', 'model', 'queue', 'actor'];
const RUN = 'a run: id, unique prefix, - for the newest, @ for the newest of this branch';
const ITEM = 'a run and an item: RUN/ITEM';

const follow = {
  failFast: flag.boolean('stop watching, not the run, at the first failure'),
  timeout: flag.duration('stop watching after this long, with exit 8'),
  wait: flag.boolean('keep watching while it waits for a person, instead of exit 6'),
};

/** What may be asked for beside a plan, wherever one is submitted. */
export const wishFlags = {
  repo: flag.string('DIR', 'working tree the run is based on (default: this one; of a server, a path there)'),
  base: flag.string('REVISION', 'revision the run starts from (default HEAD)'),
  empty: flag.boolean('start from an empty workspace'),
  title: flag.string('TEXT', 'title of the run'),
  sandbox: flag.string('NAME', 'sandbox provider (default: the strongest on this machine)'),
  requireIsolation: flag.boolean('refuse a sandbox that is no boundary'),
  allowNetwork: flag.boolean('let items that ask for the network have it'),
};

export const runCommand = command({
  path: 'run',
  summary: 'Start a run of a plan and follow it',
  args: { plan: argument.required('plan file, JSON; - reads standard input', 'file') },
  flags: {
    watch: flag.boolean('follow the run (the default)'),
    detach: flag.boolean('print the run id and return', { short: 'd' }),
    runId: flag.string('ID', 'choose the run id'),
    priority: flag.string('N', "-100 to 100, in place of the plan's: higher ones get slots first"),
    ...wishFlags,
    ...follow,
  },
  effect: 'mutation',
  notes: 'Ctrl-C, q and closing the terminal only detach: the run goes on. pal cancel stops it.',
});

export const watchCommand = command({
  path: 'watch',
  summary: 'Follow a run until it ends',
  args: { run: argument.optional(`${RUN} (default -)`, 'run') },
  flags: follow,
  effect: 'read',
});

export const statusCommand = command({
  path: 'status',
  summary: 'What waits for you, what runs, what is stuck, what just ended',
  args: {},
  flags: {
    state: flag.list('STATE', 'only runs in this state'),
    limit: flag.limit('at most N runs (default 20)'),
    cursor: flag.string('CURSOR', 'continue a listing'),
  },
  effect: 'read',
});

export const showCommand = command({
  path: 'show',
  summary: 'One run and its items',
  args: { run: argument.optional(`${RUN} (default -)`, 'run') },
  flags: { failed: flag.boolean('only items that did not go well') },
  effect: 'read',
});

export const logsCommand = command({
  path: 'logs',
  summary: 'What an item printed',
  args: { target: argument.required(`${ITEM}; RUN alone shows every item`, 'run') },
  flags: {
    attempt: flag.integer('N', 'that attempt (default: the last)'),
    follow: flag.boolean('keep printing until the item ends', { short: 'f' }),
    tail: flag.integer('N', 'only the last N lines'),
    raw: flag.boolean('keep control characters; needs a pipe'),
  },
  effect: 'read',
});

export const eventsCommand = command({
  path: 'events',
  summary: "A run's committed events",
  args: { run: argument.optional(`${RUN} (default -)`, 'run') },
  flags: {
    after: flag.integer('SEQ', 'only events after this one'),
    type: flag.list('TYPE', 'only events of this type'),
    follow: flag.boolean('keep printing until the run is sealed', { short: 'f' }),
  },
  effect: 'read',
});

export const explainCommand = command({
  path: 'explain',
  summary: 'Why an item is in its state, and what would help',
  args: { target: argument.required(ITEM, 'run') },
  flags: {},
  effect: 'read',
});

export const extendCommand = command({
  path: 'extend',
  summary: 'Add items to an open-ended run',
  args: {
    run: argument.required(RUN, 'run'),
    items: argument.required('JSON file: an item, a list of them, or a plan; - reads standard input', 'file'),
  },
  flags: { close: flag.boolean('nothing more will come: the run ends when its items have') },
  effect: 'mutation',
  notes:
    'Once this has answered the items are part of the run; extending by the same items again adds nothing.',
});

export const closeCommand = command({
  path: 'close',
  summary: 'Let an open-ended run end when its items have',
  args: { run: argument.required(RUN, 'run') },
  flags: {},
  effect: 'mutation',
});

export const cancelCommand = command({
  path: 'cancel',
  summary: 'Stop a run, or one item of it',
  args: { target: argument.required('RUN or RUN/ITEM', 'run') },
  flags: { reason: flag.string('TEXT', 'recorded reason') },
  effect: 'mutation',
});

const HELD = 'RUN to act on (default -)';
const pausing = {
  queue: flag.string('NAME', 'the whole queue instead of a run'),
};

export const pauseCommand = command({
  path: 'pause',
  summary: 'Let nothing more of a run or a queue start',
  args: { run: argument.optional(HELD, 'run') },
  flags: { ...pausing, reason: flag.string('TEXT', 'recorded reason') },
  effect: 'mutation',
  notes:
    'What runs already finishes, and deadlines hold. A paused run stays paused until pal resume or pal cancel.',
});

export const resumeCommand = command({
  path: 'resume',
  summary: 'Let a paused run or queue go on',
  args: { run: argument.optional(HELD, 'run') },
  flags: pausing,
  effect: 'mutation',
});

export const budgetCommand = command({
  path: 'budget',
  summary: 'Change what a run under way may use',
  args: { run: argument.required(RUN, 'run') },
  flags: {
    costUsd: flag.string('AMOUNT', 'US dollars, such as 5 or 0.50'),
    tokens: flag.integer('N', 'input and output tokens together'),
    seconds: flag.integer('N', 'running time of all attempts together'),
    attempts: flag.integer('N', 'attempts that may start'),
  },
  effect: 'mutation',
  notes:
    'A run that only waits for what runs to finish, because its budget is used up, goes on with a higher one.',
});

export const usageCommand = command({
  path: 'usage',
  summary: 'What attempts used: cost, tokens and time',
  args: {},
  flags: {
    by: flag.choice(BY, 'what is counted together (default agent)'),
    since: flag.duration('only attempts that ended since then, such as 24h'),
  },
  effect: 'read',
  notes:
    'Attempts that failed count as well, and runs under way. What nobody reported is counted apart, as unknown.',
});

export const rerunCommand = command({
  path: 'rerun',
  summary: "Start a new run of a finished run's plan, on the same base",
  args: { run: argument.required(RUN, 'run') },
  flags: {
    onlyFailed: flag.boolean('only what did not end well, and what depends on it'),
    runId: flag.string('ID', 'choose the run id'),
    requireIsolation: flag.boolean('refuse a sandbox that is no boundary'),
    detach: flag.boolean('print the run id and return', { short: 'd' }),
    ...follow,
  },
  effect: 'mutation',
});

export const planValidateCommand = command({
  path: 'plan validate',
  summary: 'Report every problem of a plan, offline',
  args: { plan: argument.required('plan file; - reads standard input', 'file') },
  flags: {},
  effect: 'read',
});

export const planRenderCommand = command({
  path: 'plan render',
  summary: 'Draw a plan: layers, needs and locks, offline',
  args: { plan: argument.required('plan file; - reads standard input', 'file') },
  flags: {},
  effect: 'read',
});

import { argument, command, flag } from './declaration.ts';

const HARNESSES = ['claude-code', 'codex', 'gemini-cli', 'copilot', 'opencode'] as const;

const which = {
  harness: flag.choice(HARNESSES, 'only sessions of this program'),
  machine: flag.string('NAME', 'only sessions of this machine'),
  here: flag.boolean('only sessions that worked in this repository'),
};
const limit = { limit: flag.limit('at most N (default 20)') };

export const transcriptIndexCommand = command({
  path: 'transcript index',
  summary: 'Bring the index of agent transcripts up to date',
  args: {},
  flags: {
    include: flag.list('PATH', 'a folder or file of transcripts besides the usual places; remembered'),
    machine: flag.string('NAME', 'the machine that what is included comes from'),
    forget: flag.list('PATH', 'drop what was included, and everything read from it'),
    harness: flag.choice(HARNESSES, 'only transcripts of this program'),
    since: flag.duration('only files changed within this time'),
    quietPeriod: flag.duration('leave out what was changed less than this ago (default 2m)'),
    rebuild: flag.boolean('read everything again, and look for damage first'),
  },
  effect: 'read',
  notes:
    "Reads the histories that Claude Code, Codex, Gemini CLI, Copilot CLI and OpenCode keep in the user's home.\nIt is kept in ~/.local/share/palisade/transcripts.db (PALISADE_TRANSCRIPTS_DB), without what looks like a credential.\nNo server, no network, no model.",
});

export const transcriptListCommand = command({
  path: 'transcript list',
  summary: 'Sessions of agents, the last active first',
  args: {},
  flags: { ...which, ...limit, sides: flag.boolean('side conversations too') },
  effect: 'read',
});

export const transcriptShowCommand = command({
  path: 'transcript show',
  summary: 'One session: what it was about, did, touched and used',
  args: { session: argument.required('its id, its key, or a part that no other has') },
  flags: {
    transcript: flag.boolean('what was said, too'),
    after: flag.integer('LINE', 'only what was said behind this line of its file'),
    limit: flag.limit('at most N messages (default 200)'),
  },
  effect: 'read',
});

export const transcriptSearchCommand = command({
  path: 'transcript search',
  summary: 'Sessions by their words, the best first',
  args: { query: argument.variadic('words, or a query: "one phrase", this OR that, this NOT that') },
  flags: {
    ...which,
    ...limit,
    semantic: flag.boolean('by likeness to what pal transcript embed made, not by words'),
    hybrid: flag.boolean('by both'),
  },
  effect: 'read',
});

export const transcriptGrepCommand = command({
  path: 'transcript grep',
  summary: 'Every line that was said with a text in it, punctuation and all',
  args: { pattern: argument.required('a text, or with --regex a regular expression') },
  flags: {
    ...which,
    ...limit,
    regex: flag.boolean('PATTERN is a regular expression of JavaScript'),
    ignoreCase: flag.boolean('upper and lower case are the same', { short: 'i' }),
  },
  effect: 'read',
});

export const transcriptRelatedCommand = command({
  path: 'transcript related',
  summary: 'Sessions that worked in this repository, on these files or words',
  args: { query: argument.variadic('words that matter') },
  flags: {
    file: flag.list('FILE', 'a file that matters'),
    ...limit,
    everywhere: flag.boolean('sessions of other repositories too'),
  },
  effect: 'read',
});

export const transcriptStatsCommand = command({
  path: 'transcript stats',
  summary: 'What the index of transcripts holds, and what was used',
  args: {},
  flags: {},
  effect: 'read',
});

export const transcriptEmbedCommand = command({
  path: 'transcript embed',
  summary: 'Make vectors of what was said, for search by likeness',
  args: { session: argument.optional('only this one: its id, its key, or a part that no other has') },
  flags: {
    limit: flag.limit('at most N sessions'),
    batchSize: flag.integer('N', 'so many pieces of text in one request (default 64)'),
  },
  effect: 'read',
  notes:
    'On this machine and without a model, unless PALISADE_EMBED_BASE_URL or PALISADE_EMBED_PROVIDER (openai, ollama) names\nan endpoint: then what was said goes there, without what looks like a credential. PALISADE_EMBED_MODEL and\nPALISADE_EMBED_API_KEY belong to it. What is done is kept; the same command goes on.',
});

export const transcriptLiveCommand = command({
  path: 'transcript live',
  summary: 'The agents that run now, and the sessions they are in',
  args: {},
  flags: {
    all: flag.boolean('those without a terminal too'),
    details: flag.boolean('what each did last, and where'),
    watch: flag.boolean('look again every two seconds'),
  },
  effect: 'read',
});

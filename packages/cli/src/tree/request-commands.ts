import { argument, command, flag } from './declaration.ts';

const ITEM = 'the item that asks: RUN/ITEM';

export const inboxCommand = command({
  path: 'inbox',
  summary: 'What waits for you: every open question and approval, oldest first',
  args: { run: argument.optional('only what this run asks', 'run') },
  flags: { all: flag.boolean('those that were answered, too') },
  effect: 'read',
});

export const answerCommand = command({
  path: 'answer',
  summary: "Answer an agent's question; its item goes on",
  args: {
    target: argument.required(ITEM, 'run'),
    text: argument.optional('the answer; @FILE reads a file, - standard input'),
  },
  flags: {
    option: flag.integer('N', 'answer with the Nth of the options'),
    hash: flag.string(
      'DIGITS',
      'refuse when another question is asked now (12 or more digits); needed when the item has asked before',
    ),
  },
  effect: 'mutation',
  asks: { option: { words: 'your answer, or the number of an option', flag: '--option N' } },
});

export const approveCommand = command({
  path: 'approve',
  summary: 'Approve what a plan asks a person to decide',
  args: { target: argument.required(ITEM, 'run') },
  flags: {
    hash: flag.string('DIGITS', 'binds to what was shown: anything else is refused (12 or more digits)'),
    reason: flag.string('TEXT', 'recorded reason'),
  },
  effect: 'mutation',
  asks: { hash: { words: 'approve exactly this?', flag: '--hash DIGITS' } },
  notes: 'Shows all that is to be approved, and its hash. pal deny says no.',
});

export const denyCommand = command({
  path: 'deny',
  summary: 'Deny what a plan asks a person to decide',
  args: { target: argument.required(ITEM, 'run') },
  flags: {
    hash: flag.string('DIGITS', 'refuse when something else is asked now (12 or more digits)'),
    reason: flag.string('TEXT', 'recorded reason'),
  },
  effect: 'mutation',
});

export const sendCommand = command({
  path: 'send',
  summary: 'Send a message to an agent that runs, into its inbox',
  args: {
    target: argument.required('the item whose agent is meant: RUN/ITEM', 'run'),
    text: argument.required('the message; @FILE reads a file, - standard input'),
  },
  flags: {},
  effect: 'mutation',
  notes:
    'For items whose plan says "channel": true. Every attempt is given all messages of its item; whether it reads them is its own matter.',
});

export const messagesCommand = command({
  path: 'messages',
  summary: "What was sent to an item's agent, and which attempts it has come to",
  args: { target: argument.required('RUN/ITEM', 'run') },
  flags: {},
  effect: 'read',
});

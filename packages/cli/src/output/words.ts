import type { Tone } from './color.ts';

/** How a state is shown: the word is always there; glyph and colour only help. */
export interface Word {
  readonly word: string;
  readonly glyph: string;
  readonly ascii: string;
  readonly tone: Tone;
}

const define = (word: string, glyph: string, ascii: string, tone: Tone): Word => ({
  word,
  glyph,
  ascii,
  tone,
});

const words: Readonly<Record<string, Word>> = {
  ok: define('ok', '✓', '+', 'good'),
  failed: define('failed', '✗', 'x', 'bad'),
  fail: define('fail', '✗', 'x', 'bad'),
  retry: define('retry', '↻', '~', 'warn'),
  running: define('running', '●', '>', 'busy'),
  provisioning: define('provisioning', '●', '>', 'busy'),
  needs_input: define('waiting', '◌', '?', 'warn'),
  waiting: define('waiting', '◌', '?', 'warn'),
  answer: define('answer', '?', '?', 'warn'),
  approve: define('approve', '?', '?', 'warn'),
  approved: define('approved', '✓', '+', 'good'),
  answered: define('answered', '✓', '+', 'good'),
  expired: define('expired', '✗', 'x', 'bad'),
  withdrawn: define('withdrawn', '■', '#', 'dim'),
  queued: define('queued', '○', '.', 'dim'),
  pending: define('pending', '○', '.', 'dim'),
  ready: define('ready', '○', '.', 'dim'),
  skipped: define('skipped', '-', '-', 'dim'),
  canceled: define('canceled', '■', '#', 'warn'),
  denied: define('denied', '✗', 'x', 'bad'),
  timed_out: define('timed_out', '✗', 'x', 'bad'),
  budget_exceeded: define('budget_exceeded', '✗', 'x', 'bad'),
  grown: define('grown', '+', '+', 'plain'),
  open: define('open', '●', '>', 'busy'),
  closed: define('closed', '○', '.', 'dim'),
  stuck: define('stuck', '!', '!', 'warn'),
  paused: define('paused', '◌', '?', 'warn'),
  suspended: define('suspended', '✗', 'x', 'bad'),
  disabled: define('disabled', '✗', 'x', 'bad'),
  overdue: define('overdue', '!', '!', 'warn'),
  full: define('full', '■', '#', 'warn'),
  warn: define('warn', '!', '!', 'warn'),
  'n/a': define('n/a', '·', '.', 'dim'),
  note: define('note', '·', '.', 'dim'),
};

/** The word of an item or run state, or of a result; unknown states show as themselves. */
export function wordOf(state: string): Word {
  const name = state === 'done' || state === 'completed' ? 'ok' : state;
  return (Object.hasOwn(words, name) ? words[name] : undefined) ?? define(state, '·', '.', 'plain');
}

import { PalisadeError, type TranscriptGrep } from '@palisade/contracts';
import type { MemoryDatabase } from '../../store/memory-database.ts';
import { type Stretch, stretchesWith } from '../store/text-blocks.ts';
import { requiredTexts } from './required-text.ts';
import { filterClause, type SessionFilter } from './session-view.ts';
import { around } from './snippet.ts';

/** Words that are asked for; more of them leave hardly fewer messages. */
const MAX_WORDS = 8;
/** Messages that are read at a time: most questions are answered by the first. */
const AT_ONCE = 200;

const EVERYTHING = { first: 0, last: Number.MAX_SAFE_INTEGER } as const;

export interface GrepOptions extends SessionFilter {
  readonly pattern: string;
  /** A regular expression of JavaScript, not a text. */
  readonly isExpression?: boolean;
  readonly isAnyCase?: boolean;
  readonly limit: number;
}

interface Message extends Record<string, null | number | string> {
  readonly session_id: string;
  readonly key: string;
  readonly line: number;
  readonly role: TranscriptGrep['data'][number]['role'];
  readonly title: string;
  readonly text: string;
}

/**
 * Every line of every message that has a text in it, or matches an expression, as `grep` would find it in them
 * (D-07): those of the latest sessions first. Errors: `invalid_input` for what is no expression.
 */
export function grepTranscripts(database: MemoryDatabase, options: GrepOptions): TranscriptGrep {
  const { pattern, limit } = options;
  const expression = expressionOf(options);
  const data: TranscriptGrep['data'][number][] = [];
  for (const ids of candidates(database, options)) {
    if (data.length > limit) break;
    for (const message of messages(database, ids, options)) {
      if (data.length > limit) break;
      for (const line of message.text.split('\n')) {
        const match = expression.exec(line);
        if (match === null) continue;
        const { session_id, key, line: at, role, title } = message;
        const snippet = around(line, match.index, match.index + match[0].length);
        data.push({ session_id, key: key.slice(0, 12), line: at, role, title, snippet });
      }
    }
  }
  return { pattern, data: data.slice(0, limit), has_more: data.length > limit };
}

/** The sources of every message that has a text in it. */
export function sourcesWith(database: MemoryDatabase, text: string): readonly number[] {
  const { narrowed, values } = narrowing([text]);
  return database
    .all<{ source: number }>(
      `SELECT DISTINCT m.source FROM messages m WHERE ${narrowed} AND instr(m.text, ?) > 0`,
      ...values,
      text,
    )
    .map(({ source }) => source);
}

function expressionOf({ pattern, isExpression = false, isAnyCase = false }: GrepOptions): RegExp {
  try {
    return new RegExp(
      isExpression ? pattern : pattern.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'),
      isAnyCase ? 'iu' : 'u',
    );
  } catch (error) {
    throw new PalisadeError('invalid_input', `${JSON.stringify(pattern)} is no regular expression`, {
      ...(error instanceof Error ? { why: error.message } : {}),
      next: 'leave --regex out to look for it as it stands',
    });
  }
}

/** Messages that may have it, by their ids, some at a time in the order of the answer. No text is read for it. */
function* candidates(database: MemoryDatabase, options: GrepOptions): Generator<readonly number[]> {
  const { pattern, isExpression = false } = options;
  const { where, values } = filterClause(options);
  const texts = isExpression ? requiredTexts(pattern) : [pattern];
  const stretches = stretchesWith(database, texts);
  if (stretches?.size === 0) return;
  const { narrowed, values: words } = narrowing(texts);
  if (words.length > 0)
    yield* inParts(
      database
        .all<{ id: number; source: number }>(
          `SELECT m.id, m.source FROM messages m JOIN sessions s ON s.source = m.source
           WHERE ${narrowed} AND ${where} ORDER BY s.updated_at DESC, m.source, m.id`,
          ...words,
          ...values,
        )
        .filter(({ id, source }) => stretches === undefined || isWithin(stretches.get(source), id)),
    );
  else
    for (const { source } of database.all<{ source: number }>(
      `SELECT source FROM sessions s WHERE ${where} ORDER BY updated_at DESC, source`,
      ...values,
    ))
      for (const { first, last } of stretches === undefined ? [EVERYTHING] : (stretches.get(source) ?? []))
        yield* inParts(
          database.all<{ id: number }>(
            'SELECT id FROM messages WHERE source = ? AND id BETWEEN ? AND ? ORDER BY id',
            source,
            first,
            last,
          ),
        );
}

/** Whether one of the stretches of a message's source, which are in order and apart, has it. */
function isWithin(stretches: readonly Stretch[] = [], id: number): boolean {
  let [low, high] = [0, stretches.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((stretches[middle]?.first ?? 0) <= id) low = middle;
    else high = middle - 1;
  }
  const { first = 0, last = -1 } = stretches[low] ?? {};
  return first <= id && id <= last;
}

function* inParts(rows: readonly { readonly id: number }[]): Generator<readonly number[]> {
  for (let first = 0; first < rows.length; first += AT_ONCE)
    yield rows.slice(first, first + AT_ONCE).map(({ id }) => id);
}

/** Of the messages those that have it, as far as the database can tell, in their order. */
function messages(
  database: MemoryDatabase,
  ids: readonly number[],
  options: GrepOptions,
): readonly Message[] {
  const { pattern, isExpression = false, isAnyCase = false } = options;
  const isPlain = !isExpression && !isAnyCase;
  return database.all<Message>(
    `SELECT s.id AS session_id, f.key, m.line, m.role, s.title, m.text
     FROM json_each(?) asked CROSS JOIN messages m ON m.id = asked.value
     JOIN sessions s ON s.source = m.source JOIN sources f ON f.id = m.source
     ${isPlain ? 'WHERE instr(m.text, ?) > 0' : ''} ORDER BY asked.key`,
    JSON.stringify(ids),
    ...(isPlain ? [pattern] : []),
  );
}

/** A condition on `messages m` that everything with all the texts meets. */
function narrowing(texts: readonly string[]): {
  readonly narrowed: string;
  readonly values: readonly string[];
} {
  const words = texts.flatMap(wordsOf).slice(0, MAX_WORDS);
  if (words.length === 0) return { narrowed: 'TRUE', values: [] };
  return {
    narrowed: 'm.id IN (SELECT rowid FROM message_words WHERE message_words MATCH ?)',
    values: [words.join(' AND ')],
  };
}

/**
 * Words that are in everything with a text in it: those that start within it, the last one as a beginning. Only of
 * ASCII, where it is plain what the index takes for a word and what is one in any case.
 */
function wordsOf(text: string): readonly string[] {
  const found = [...text.matchAll(/(?<=[\0-\x2f:-@[-`{-\x7f])[A-Za-z0-9]+/g)];
  return found.flatMap(({ 0: word, index }) => {
    const next = text.charCodeAt(index + word.length);
    if (Number.isNaN(next)) return [`"${word}"*`];
    return next < 128 ? [`"${word}"`] : [];
  });
}

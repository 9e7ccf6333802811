import { setImmediate as breathe } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { Fields } from '../events.ts';
import { isFields } from '../harnesses/fields.ts';
import { opencode } from '../harnesses/opencode.ts';
import { MAX_LINE_BYTES } from '../reading/line-reader.ts';
import { type Progress, takeOmitted, takeRecord } from '../reading/read-records.ts';
import { MAX_READ_BYTES } from '../reading/read-source.ts';
import type { Facts, Mark, Reading, Source } from '../reading/source.ts';
import type { SessionWriter } from '../session-writer.ts';

/** A message as it is kept, with its parts, before anything of it is read. */
export interface StoredMessage {
  readonly id: string;
  readonly bytes: number;
  /** Unix ms. */
  readonly changedAt: number;
}

/** A JSON text as it is kept; undefined where it is larger than is read. */
export interface StoredText {
  readonly bytes: number;
  readonly text: string | undefined;
}

/** Where OpenCode keeps the messages of one session. */
export interface SessionStore extends Disposable {
  readonly facts: Facts;
  /** As `opencode export` writes it. */
  readonly info: Fields;
  /** In the order of the conversation. */
  readonly messages: readonly StoredMessage[];
  /** The message itself, then its parts. */
  texts(id: string): Iterable<StoredText>;
}

/**
 * A session in OpenCode's own storage. It is known again by the names, sizes and times of the messages that were read:
 * where they are as they were, it is read on behind them.
 */
export class StoredSession implements Source {
  readonly canGoOn = true;
  readonly #store: SessionStore;

  constructor(store: SessionStore) {
    this.#store = store;
  }

  get file(): string {
    return this.#store.facts.file;
  }

  get size(): number {
    return this.#store.facts.size;
  }

  get modifiedAt(): number {
    return this.#store.facts.modifiedAt;
  }

  continues({ ranges, crc }: Mark): boolean {
    const { messages } = this.#store;
    const count = countTo(messages, ranges.at(-1)?.[1] ?? 0);
    return count !== undefined && crcOf(messages.slice(0, count)) === crc;
  }

  async read({ from, progress, writer, signal, maxBytes = MAX_READ_BYTES }: Reading): Promise<Mark> {
    const { info, messages } = this.#store;
    progress.reader = opencode;
    takeRecord({ session: info }, progress, writer);
    const known = countTo(messages, from?.ranges.at(-1)?.[1] ?? 0) ?? 0;
    const [first, last] = gapOf(messages.slice(known), maxBytes).map((at) => at + known);
    let read = 0;
    for (const [at, message] of messages.entries()) {
      if (at < known) continue;
      progress.lines++;
      if (first !== undefined && last !== undefined && at >= first && at < last) {
        progress.skipped += message.bytes;
        writer.draft.isTruncated = true;
        continue;
      }
      for (const record of recordsOf(message.id, this.#store.texts(message.id), progress, writer))
        takeRecord(record, progress, writer);
      read += message.bytes;
      if (read < MAX_LINE_BYTES) continue;
      read = 0;
      await breathe();
      signal.throwIfAborted();
    }
    const end = messages.reduce((sum, { bytes }) => sum + bytes, 0);
    return { ranges: [[0, end]], crc: crcOf(messages) };
  }

  [Symbol.dispose](): void {
    this.#store[Symbol.dispose]();
  }
}

/** One record a message as a rule; a message with many large parts is told in several. */
function* recordsOf(
  id: string,
  texts: Iterable<StoredText>,
  progress: Progress,
  writer: SessionWriter,
): Generator<Fields> {
  let info: Fields | undefined;
  let parts: Fields[] = [];
  let held = 0;
  for (const { bytes, text } of texts) {
    held += bytes;
    if (info !== undefined && held > MAX_LINE_BYTES) {
      yield { info, parts };
      [parts, held] = [[], bytes];
    }
    const value = text === undefined ? undefined : parsed(text);
    if (text === undefined) takeOmitted(bytes, undefined, progress, writer);
    else if (value === undefined) progress.malformed++;
    else if (info === undefined) info = { id, ...value };
    else parts.push(value);
    // Without the message itself nobody knows who said it.
    if (info === undefined) return;
  }
  if (info !== undefined) yield { info, parts };
}

function parsed(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** How many messages end at a place; undefined when none does. */
function countTo(messages: readonly StoredMessage[], end: number): number | undefined {
  let at = 0;
  let count = 0;
  while (at < end && count < messages.length) at += messages[count++]?.bytes ?? 0;
  return at === end ? count : undefined;
}

function crcOf(messages: readonly StoredMessage[]): number {
  return crc32(messages.map(({ id, bytes, changedAt }) => `${id} ${bytes} ${changedAt}\n`).join(''));
}

/** The messages that are left out so that no more than so many bytes are read; none, or from one to before another. */
function gapOf(messages: readonly StoredMessage[], maxBytes: number): readonly number[] {
  const total = messages.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= maxBytes) return [];
  const fitting = (some: readonly StoredMessage[]): number => {
    let sum = 0;
    const over = some.findIndex(({ bytes }) => (sum += bytes) > maxBytes / 2);
    return over === -1 ? some.length : over;
  };
  return [fitting(messages), messages.length - fitting(messages.toReversed())];
}

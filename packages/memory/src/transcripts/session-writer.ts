import { crc32 } from 'node:zlib';
import { isAbsolute, join } from 'node:path';
import { truncateText } from '@palisade/contracts';
import type { MemoryDatabase } from '../store/memory-database.ts';
import type { Message, TranscriptEvent, Usage } from './events.ts';
import { SessionDraft } from './session-draft.ts';
import { keptLine, keptMessage, keptText, LIMITS, MAX_ENTRIES } from './store/kept-text.ts';
import { TextBlocks } from './store/text-blocks.ts';

/** Messages of a file that are remembered to know a copy by. */
const MAX_KNOWN = 200_000;
/** Messages without an id that are remembered to know another way of logging them by (D-07). */
const MAX_SAID = 64;
const MAX_CALLS = 1000;

const FAULT = /(?:error|traceback|failed|exception)\b|permission denied/i;
const NO_FAULT = /\b(?:0|no) (?:errors?|failed|failures|exceptions?)\b/i;

interface Said {
  readonly channels: Record<string, number>;
  stored: number;
}

/** What reading on needs to know, as JSON. */
export interface WriterState {
  readonly draft: unknown;
  readonly said: readonly (readonly [string, Said])[];
  readonly calls: readonly (readonly [string, string])[];
}

/** Writes what the records of one file say. Within a transaction. */
export class SessionWriter {
  readonly draft: SessionDraft;
  readonly #database: MemoryDatabase;
  readonly #source: number;
  readonly #blocks: TextBlocks;
  readonly #known: Set<string>;
  readonly #said: Map<string, Said>;
  readonly #calls: Map<string, string>;
  #files = 0;

  /** @param saved what a writer of the same source left, whose messages are there */
  constructor(database: MemoryDatabase, source: number, saved?: WriterState) {
    this.#database = database;
    this.#source = source;
    this.#blocks = new TextBlocks(database, source, saved !== undefined);
    this.draft = saved === undefined ? new SessionDraft() : SessionDraft.from(saved.draft);
    this.#said = new Map(saved?.said);
    this.#calls = new Map(saved?.calls);
    this.#known = new Set(saved === undefined ? [] : this.#storedKeys());
  }

  get state(): WriterState {
    return {
      draft: this.draft,
      said: [...this.#said].slice(-MAX_SAID),
      calls: [...this.#calls].slice(-MAX_CALLS),
    };
  }

  /** Writes down what was gathered. Nothing may be written after it. */
  finish(): void {
    this.#blocks.close();
  }

  /** @param at time of the record */
  write(event: TranscriptEvent, line: number, at: number | undefined): void {
    switch (event.kind) {
      case 'session':
        return this.draft.tell(event.facts);
      case 'message':
        return this.#message(event.message, line, at);
      case 'usage':
        return this.#usage(event.usage, at);
      case 'command':
        return this.draft.add('commands', keptLine(event.text, LIMITS.command));
      case 'file':
        return this.#file(event.path);
    }
  }

  #message(message: Message, line: number, at: number | undefined): void {
    const { role, id, channel } = message;
    if (message.text === '' || this.#isLoggedBefore(message)) return;
    const call = id === undefined ? undefined : keptText(id, LIMITS.word);
    const tool = message.tool === undefined ? undefined : keptText(message.tool, LIMITS.word);
    const name = tool ?? (call === undefined ? undefined : this.#calls.get(call));
    if (role === 'tool_call' && call !== undefined && tool !== undefined) this.#remember(call, tool);
    const hasRoom = this.draft.characters < LIMITS.session;
    const text = keptMessage(role, message.text, hasRoom);
    if (!hasRoom) this.draft.isTruncated = true;
    // By its provider's id a message is known; without one by its time, unless it is told apart by its channels.
    const by = call ?? (channel === undefined && at !== undefined ? `at ${at}` : undefined);
    if (by !== undefined && this.#isKnown(keyOf(by, role, text))) return;
    this.draft.characters += text.length;
    this.#insert({ role, id: call, text, tool: name }, line, at);
    this.#note(message, text, name);
  }

  /** Everything in the message is redacted. */
  #insert({ role, id, text, tool }: Message, line: number, at: number | undefined): void {
    const row = this.#database.run(
      'INSERT INTO messages (source, line, at, role, tool, message_id, text) VALUES (?, ?, ?, ?, ?, ?, ?)',
      this.#source,
      line,
      at ?? null,
      role,
      tool ?? null,
      id ?? null,
      text,
    );
    this.#database.run('INSERT INTO message_words (rowid, text) VALUES (?, ?)', row, text);
    this.#blocks.add(row, text);
  }

  /** What a message says of its session. */
  #note({ role, isError }: Message, text: string, tool: string | undefined): void {
    if (role === 'user') this.draft.firstSaid ??= keptText(text, LIMITS.tool);
    if (role === 'assistant') this.draft.lastAnswer = truncateText(text, LIMITS.tool);
    if (role === 'tool_call' && tool !== undefined) this.draft.add('tools', tool);
    if (role !== 'tool_result' || isError === false) return;
    const fault = faultIn(text);
    if (isError === true || fault !== undefined)
      this.draft.add('errors', keptLine(fault ?? text, LIMITS.error));
  }

  #usage(usage: Usage, at: number | undefined): void {
    const id = this.#answerId(usage);
    if (id === undefined) return;
    const { model, input, output, cacheRead, cacheWrite } = usage;
    // An answer that is written down while it comes is counted at its last state.
    this.#database.run(
      `INSERT INTO usage (source, message_id, at, model, input, output, cache_read, cache_write)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
         model = coalesce(excluded.model, model), input = max(input, excluded.input),
         output = max(output, excluded.output), cache_read = max(cache_read, excluded.cache_read),
         cache_write = max(cache_write, excluded.cache_write)`,
      this.#source,
      keptText(id, LIMITS.word),
      at ?? null,
      model === undefined ? (this.draft.facts.model ?? null) : keptText(model, LIMITS.word),
      input,
      output,
      cacheRead,
      cacheWrite,
    );
  }

  /** What an answer is known by, in whatever file it is; undefined when it was told before. */
  #answerId(usage: Usage): string | undefined {
    const { draft } = this;
    if (usage.soFar === undefined) {
      draft.hasAnswerIds = true;
      return usage.id;
    }
    if (draft.hasAnswerIds || usage.soFar === draft.soFar) return undefined;
    draft.soFar = usage.soFar;
    const { id, countedIn } = draft.facts;
    return `${countedIn ?? id ?? `source ${this.#source}`} ${usage.soFar}`;
  }

  #file(path: string): void {
    if (this.#files >= MAX_ENTRIES.files) return;
    this.#files++;
    const { cwd } = this.draft.facts;
    const whole = isAbsolute(path) || cwd === undefined ? path : join(cwd, path);
    this.#database.run(
      'INSERT OR IGNORE INTO session_files (source, path) VALUES (?, ?)',
      this.#source,
      keptText(whole, LIMITS.path),
    );
  }

  /** Whether the message was logged in another way: as often as the way that logs it most, it is stored. */
  #isLoggedBefore({ role, text, channel }: Message): boolean {
    if (channel === undefined) return false;
    const key = keyOf('', role, text.trim());
    const said = this.#said.get(key) ?? { channels: {}, stored: 0 };
    this.#said.delete(key);
    this.#said.set(key, said);
    if (this.#said.size > MAX_SAID) this.#said.delete(this.#said.keys().next().value ?? '');
    const times = (said.channels[channel] ?? 0) + 1;
    said.channels[channel] = times;
    if (times <= said.stored) return true;
    said.stored++;
    return false;
  }

  #isKnown(key: string): boolean {
    if (this.#known.has(key)) return true;
    if (this.#known.size >= MAX_KNOWN) this.#known.delete(this.#known.keys().next().value ?? '');
    this.#known.add(key);
    return false;
  }

  #remember(call: string, tool: string): void {
    this.#calls.set(call, tool);
    if (this.#calls.size > MAX_CALLS) this.#calls.delete(this.#calls.keys().next().value ?? '');
  }

  #storedKeys(): string[] {
    return this.#database
      .all<{ message_id: string | null; at: number | null; role: string; text: string }>(
        'SELECT message_id, at, role, text FROM messages WHERE source = ?',
        this.#source,
      )
      .map(({ message_id: id, at, role, text }) => keyOf(id ?? `at ${at}`, role, text));
  }
}

function keyOf(by: string, role: string, text: string): string {
  return `${by} ${role} ${text.length} ${crc32(text)}`;
}

/** The first line that tells of a fault. */
function faultIn(text: string): string | undefined {
  if (!FAULT.test(text)) return undefined;
  return text.split('\n').find((line) => FAULT.test(line) && !NO_FAULT.test(line));
}

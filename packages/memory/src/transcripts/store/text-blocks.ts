import type { MemoryDatabase } from '../../store/memory-database.ts';

/*
 * Which runs of three characters are in a stretch of messages, as a Bloom filter of one hash: what lacks one of a
 * text's runs does not have the text, so that stretch need not be looked through. One for each 256 Ki characters: large
 * enough to be few, small enough that most of what is nowhere is ruled out everywhere.
 */

const BLOCK_CHARACTERS = 256 * 1024;
const MAX_BITS = 2 ** 16;
const MIN_BITS = 2 ** 10;
/** A filter of fewer messages is halved until so many of its bits are set. */
const FULL = 0.3;
/** Filters that are read at a time. */
const AT_ONCE = 512;

/** What a character counts as: upper and lower case are one. */
const FOLDED = Uint16Array.from({ length: 2 ** 16 }, (_, code) => {
  // The two others that are a letter of ASCII in another case.
  if (code === 0x212a) return 107;
  if (code === 0x17f) return 115;
  return code >= 65 && code <= 90 ? code + 32 : code;
});

/** A run with the next character behind it; of three and no more. */
function next(run: number, code: number): number {
  return ((run << 8) ^ (FOLDED[code] ?? 0)) & 0xff_ff_ff;
}

/** The place of a run in the largest filter; in a smaller one it is the rest by its size. */
function bitOf(run: number): number {
  return Math.imul(run, 0x9e37_79b1) >>> 16;
}

/** Gathers what is in the messages of one source, in the order of their ids. Within a transaction. */
export class TextBlocks {
  readonly #database: MemoryDatabase;
  readonly #source: number;
  readonly #bits = new Uint8Array(MAX_BITS);
  #first = 0;
  #last = 0;
  #characters = 0;

  /** @param isContinued whether the source has blocks; the last of them is gone on with when it has room */
  constructor(database: MemoryDatabase, source: number, isContinued: boolean) {
    this.#database = database;
    this.#source = source;
    if (isContinued) this.#reopen();
  }

  add(id: number, text: string): void {
    if (this.#characters === 0) this.#first = id;
    this.#last = id;
    // An empty text has its place too.
    this.#characters += text.length + 1;
    mark(this.#bits, text);
    if (this.#characters >= BLOCK_CHARACTERS) this.close();
  }

  /** Writes down what was gathered. */
  close(): void {
    if (this.#characters === 0) return;
    this.#database.run(
      'INSERT INTO text_blocks (source, first, last, characters, bits) VALUES (?, ?, ?, ?, ?)',
      this.#source,
      this.#first,
      this.#last,
      this.#characters,
      packed(this.#bits),
    );
    this.#bits.fill(0);
    this.#characters = 0;
  }

  #reopen(): void {
    const last = this.#database.get<{ first: number; last: number; characters: number }>(
      'SELECT first, last, characters FROM text_blocks WHERE source = ? ORDER BY first DESC LIMIT 1',
      this.#source,
    );
    if (last === undefined || last.characters >= BLOCK_CHARACTERS / 2) return;
    this.#database.run('DELETE FROM text_blocks WHERE source = ? AND first = ?', this.#source, last.first);
    for (const { id, text } of this.#database.all<{ id: number; text: string }>(
      'SELECT id, text FROM messages WHERE source = ? AND id >= ? ORDER BY id',
      this.#source,
      last.first,
    ))
      this.add(id, text);
  }
}

function mark(bits: Uint8Array, text: string): void {
  let run = 0;
  for (let at = 0; at < text.length; at++) {
    run = next(run, text.charCodeAt(at));
    if (at > 1) bits[bitOf(run)] = 1;
  }
}

/** One bit each, folded in halves as long as few are set. */
function packed(bits: Uint8Array): Uint8Array {
  let size = MAX_BITS;
  let folds = bits;
  for (; size > MIN_BITS; size /= 2) {
    const half = folds.slice(0, size / 2);
    for (let at = 0; at < size / 2; at++) if (folds[at + size / 2] === 1) half[at] = 1;
    if (half.reduce((sum, bit) => sum + bit, 0) > FULL * half.length) break;
    folds = half;
  }
  const packedBits = new Uint8Array(size / 8);
  for (let at = 0; at < size; at++)
    if (folds[at] === 1) packedBits[at >> 3] = (packedBits[at >> 3] ?? 0) | (1 << (at & 7));
  return packedBits;
}

/** The messages of one source from one id to another; between them may be ids of other sources. */
export interface Stretch {
  readonly source: number;
  readonly first: number;
  readonly last: number;
}

/**
 * Where everything with all the texts in it must be: of each source the stretches, in the order of their ids.
 * Undefined when the texts rule nothing out: where each is shorter than three characters.
 */
export function stretchesWith(
  database: MemoryDatabase,
  texts: readonly string[],
): ReadonlyMap<number, readonly Stretch[]> | undefined {
  const asked = new Set(texts.flatMap(bitsOf));
  if (asked.size === 0) return undefined;
  const wanted = [...asked];
  const found: Stretch[] = [];
  for (let [after, isMore] = [0, true]; isMore; ) {
    const rows = database.all<{ source: number; first: number; last: number; bits: Uint8Array }>(
      'SELECT source, first, last, bits FROM text_blocks WHERE first > ? ORDER BY first LIMIT ?',
      after,
      AT_ONCE,
    );
    for (const { source, first, last, bits } of rows) {
      const rest = bits.length * 8 - 1;
      if (wanted.every((bit) => ((bits[(bit & rest) >> 3] ?? 0) & (1 << (bit & 7))) !== 0))
        found.push({ source, first, last });
      after = first;
    }
    isMore = rows.length === AT_ONCE;
  }
  return Map.groupBy(found, ({ source }) => source);
}

/** Of ASCII alone: what else is one in upper and lower case is not folded. */
function bitsOf(text: string): readonly number[] {
  const runs = text.match(/[\0-\x7f]{3,}/g) ?? [];
  return runs.flatMap((part) => {
    let run = 0;
    return Array.from(part, (_, at) => bitOf((run = next(run, part.charCodeAt(at))))).slice(2);
  });
}

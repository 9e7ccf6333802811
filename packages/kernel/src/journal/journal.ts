import {
  canonicalJson,
  type EventData,
  type EventType,
  eventHash,
  eventTypes,
  isPalisadeError,
  type JournalEvent,
  limits,
  PalisadeError,
  parseInput,
} from '@palisade/contracts';
import type { JournalWriter, Statements } from '../database/database.ts';
import { wellFormed } from './well-formed.ts';

interface Head {
  seq: number;
  hash: string | null;
  sealed: boolean;
  /** True when the stored head is behind this one. */
  changed: boolean;
}

interface EventRow {
  readonly seq: number;
  readonly type: EventType;
  readonly at: number;
  readonly data: string;
  readonly hash: string;
}

const SELECT_HEAD = 'SELECT seq, hash, sealed FROM kernel_streams WHERE stream = ?';
const INSERT_EVENT =
  'INSERT INTO kernel_events (stream, seq, type, at, data, hash) VALUES (?, ?, ?, ?, ?, ?)';
const UPSERT_HEAD = `INSERT INTO kernel_streams (stream, seq, hash, sealed) VALUES (?, ?, ?, ?)
ON CONFLICT (stream) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, sealed = excluded.sealed`;
const SELECT_EVENTS =
  'SELECT seq, type, at, data, hash FROM kernel_events WHERE stream = ? AND seq > ? ORDER BY seq LIMIT ?';

/**
 * The journal of one transaction (DI-221…DI-226, FF-069). A stream's head is read once per
 * transaction and written once, before the commit; every append in between is one insert, so the
 * cost of an append does not depend on the stream's length. The primary key (stream, seq) makes a
 * gap or a fork impossible to commit, whatever two transactions do at once.
 */
export class Journal implements JournalWriter {
  readonly #sql: Statements;
  readonly #now: number;
  readonly #heads = new Map<string, Promise<Head>>();
  readonly #appended: JournalEvent[] = [];

  constructor(sql: Statements, now: number) {
    this.#sql = sql;
    this.#now = now;
  }

  async append<T extends EventType>(stream: string, type: T, data: EventData<T>): Promise<JournalEvent<T>> {
    const checked = checkData(type, data);
    const text = canonicalText(checked);
    if (text.length > limits.eventBytes / 3 && Buffer.byteLength(text) > limits.eventBytes)
      throw new PalisadeError('too_large', `the data of ${type} is above ${limits.eventBytes} bytes`, {
        next: 'store the fact as a blob and name its hash in the event',
      });
    const head = await this.#head(stream);
    if (head.sealed) throw new PalisadeError('ledger_sealed', `the stream ${stream} is sealed`);
    // From here to the insert nothing yields: concurrent appends of one body cannot take one number.
    const event = { stream, seq: head.seq + 1, type, at: this.#now, data: text };
    const hash = eventHash(event, head.hash);
    head.seq = event.seq;
    head.hash = hash;
    head.changed = true;
    await this.#sql.run(INSERT_EVENT, [stream, event.seq, type, event.at, text, hash]);
    const appended: JournalEvent<T> = { ...event, data: JSON.parse(text) as EventData<T>, hash };
    this.#appended.push(appended);
    return appended;
  }

  /** What was appended so far, in order. */
  get appended(): readonly JournalEvent[] {
    return this.#appended;
  }

  async seal(stream: string): Promise<void> {
    const head = await this.#head(stream);
    if (head.sealed) return;
    head.sealed = true;
    head.changed = true;
  }

  async read(stream: string, after: number, limit: number): Promise<JournalEvent[]> {
    const rows = await this.#sql.all<EventRow>(SELECT_EVENTS, [stream, after, limit]);
    return rows.map((row) => ({
      stream,
      seq: row.seq,
      type: row.type,
      at: row.at,
      data: JSON.parse(row.data) as EventData<EventType>,
      hash: row.hash,
    }));
  }

  async head(stream: string): Promise<{ seq: number; hash: string | null; sealed: boolean }> {
    const { seq, hash, sealed } = await this.#head(stream);
    return { seq, hash, sealed };
  }

  /** Writes the heads that moved. */
  async flush(): Promise<void> {
    for (const [stream, pending] of this.#heads) {
      const head = await pending;
      if (!head.changed) continue;
      await this.#sql.run(UPSERT_HEAD, [stream, head.seq, head.hash, head.sealed ? 1 : 0]);
      head.changed = false;
    }
  }

  #head(stream: string): Promise<Head> {
    let head = this.#heads.get(stream);
    if (head === undefined) {
      head = this.#load(stream);
      this.#heads.set(stream, head);
    }
    return head;
  }

  async #load(stream: string): Promise<Head> {
    const row = await this.#sql.get<{ seq: number; hash: string | null; sealed: number }>(SELECT_HEAD, [
      stream,
    ]);
    if (row === undefined) return { seq: -1, hash: null, sealed: false, changed: false };
    return { seq: row.seq, hash: row.hash, sealed: row.sealed === 1, changed: false };
  }
}

function checkData<T extends EventType>(type: T, data: EventData<T>): unknown {
  if (!Object.hasOwn(eventTypes, type))
    throw new PalisadeError('invalid_input', `there is no event type ${JSON.stringify(type)}`);
  return parseInput<unknown>(eventTypes[type], data, `the data of ${type}`);
}

/** Text from the outside can hold lone surrogates, which no canonical form has: they become U+FFFD (FF-070). */
function canonicalText(data: unknown): string {
  try {
    return canonicalJson(data);
  } catch (error) {
    if (!isPalisadeError(error, 'not_canonical')) throw error;
    return canonicalJson(wellFormed(data));
  }
}

import type { JournalEvent } from '@palisade/contracts';
import type { Database, ReadTx, WriteTx } from '../database/database.ts';

/** Events of one stream that are read at once. */
const PAGE = 256;
/** Positions looked up by one statement. */
const LOOK_UP_AT_ONCE = 100;
/** What another process committed is seen after at most this long, whatever became of its wake-up. */
const LOOK_EVERY_MS = 500;

/** Somebody who follows streams: where it stands in each, and which have news. */
interface Follower {
  readonly positions: Map<string, number>;
  readonly news: Set<string>;
  wake: () => void;
}

/**
 * Follows streams of the journal without gap or duplicate (EX-063, EX-064). A commit of this process wakes exactly who follows what it
 * appended; commits of others are found by one look at all followed positions together, however many follow.
 */
export class JournalWatch {
  readonly #database: Database;
  readonly #byStream = new Map<string, Set<Follower>>();
  /** Reads under way, by stream and position: followers that stand at one place wait for one read together. */
  readonly #reads = new Map<string, Map<number, ReturnType<typeof pageOf>>>();
  #timer: NodeJS.Timeout | undefined;
  #stopForeign: (() => void) | undefined;
  #looking = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** For the database's `onEvents`: followers are woken once the events are committed. */
  readonly onEvents = async (tx: WriteTx, events: readonly JournalEvent[]): Promise<void> => {
    if (this.#byStream.size === 0) return;
    const streams = new Set(events.map(({ stream }) => stream));
    tx.afterCommit(() => {
      for (const stream of streams) this.#tell(stream);
    });
  };

  /**
   * What is appended to streams after the given positions (-1: all), in the order of each stream, until every stream is sealed and
   * read to its end, or `signal` aborts. Streams may not exist yet.
   */
  async *follow(
    positions: ReadonlyMap<string, number>,
    signal: AbortSignal,
  ): AsyncGenerator<readonly JournalEvent[]> {
    const follower: Follower = {
      positions: new Map(positions),
      news: new Set(positions.keys()),
      wake: () => {},
    };
    const onAbort = (): void => follower.wake();
    signal.addEventListener('abort', onAbort);
    this.#add(follower);
    try {
      while (!signal.aborted && follower.positions.size > 0) {
        const [stream] = follower.news;
        if (stream === undefined) {
          await new Promise<void>((resolve) => {
            follower.wake = resolve;
          });
          continue;
        }
        // Taken down before the look: what is told while it happens is looked for again.
        follower.news.delete(stream);
        const after = follower.positions.get(stream);
        if (after === undefined) continue;
        const { found, isSealed } = await this.#read(stream, after);
        const last = found.at(-1);
        if (last !== undefined) follower.positions.set(stream, last.seq);
        if (found.length === PAGE) follower.news.add(stream);
        else if (isSealed) this.#leave(follower, stream);
        if (found.length > 0) yield found;
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      for (const stream of follower.positions.keys()) this.#leave(follower, stream);
    }
  }

  #add(follower: Follower): void {
    for (const stream of follower.positions.keys()) {
      const followers = this.#byStream.get(stream) ?? new Set();
      followers.add(follower);
      this.#byStream.set(stream, followers);
    }
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => void this.#look(), LOOK_EVERY_MS);
    this.#timer.unref();
    this.#stopForeign = this.#database.onForeignCommit(() => void this.#look());
  }

  #leave(follower: Follower, stream: string): void {
    follower.positions.delete(stream);
    follower.news.delete(stream);
    const followers = this.#byStream.get(stream);
    followers?.delete(follower);
    if (followers?.size === 0) this.#byStream.delete(stream);
    if (this.#byStream.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#stopForeign?.();
  }

  #read(stream: string, after: number): ReturnType<typeof pageOf> {
    const reads = this.#reads.get(stream) ?? new Map<number, ReturnType<typeof pageOf>>();
    this.#reads.set(stream, reads);
    const known = reads.get(after);
    if (known !== undefined) return known;
    const read = this.#database
      .read((tx) => pageOf(tx, stream, after))
      .finally(() => {
        if (reads.get(after) === read) reads.delete(after);
        if (reads.size === 0 && this.#reads.get(stream) === reads) this.#reads.delete(stream);
      });
    reads.set(after, read);
    return read;
  }

  #tell(stream: string): void {
    // What began before the news may not hold it: whoever is woken begins anew.
    this.#reads.delete(stream);
    for (const follower of this.#byStream.get(stream) ?? []) {
      follower.news.add(stream);
      follower.wake();
    }
  }

  /** Compares stored positions with what is followed; a look that fails is made again by the next one. */
  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      const streams = [...this.#byStream.keys()];
      for (let i = 0; i < streams.length; i += LOOK_UP_AT_ONCE) {
        const heads = await this.#database.read((tx) => headsOf(tx, streams.slice(i, i + LOOK_UP_AT_ONCE)));
        for (const { stream, seq, sealed } of heads)
          for (const follower of this.#byStream.get(stream) ?? [])
            if (sealed === 1 || seq > (follower.positions.get(stream) ?? -1)) this.#tell(stream);
      }
    } catch {
      // The database is away: followers wait, and so do their positions.
    } finally {
      this.#looking = false;
    }
  }
}

async function pageOf(tx: ReadTx, stream: string, after: number) {
  const found = await tx.journal.read(stream, after, PAGE);
  return { found, isSealed: (await tx.journal.head(stream)).sealed };
}

function headsOf(tx: ReadTx, streams: readonly string[]) {
  return tx.sql.all<{ stream: string; seq: number; sealed: number }>(
    `SELECT stream, seq, sealed FROM kernel_streams WHERE stream IN (${streams.map(() => '?').join(', ')})`,
    streams,
  );
}

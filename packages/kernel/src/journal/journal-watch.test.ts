import type { JournalEvent } from '@palisade/contracts';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Database, WriteTx } from '../database/database.ts';
import { eachDatabase } from '../testing/index.ts';
import { JournalWatch } from './journal-watch.ts';

const canceled = (reason: string) => ({ item: 'a', reason });
const append = (database: Database, stream: string, n = 1) =>
  database.write(async (tx) => {
    for (let i = 0; i < n; i++) await tx.journal.append(stream, 'item.canceled', canceled(`${i}`));
  });

/** Collects what is followed until it ends or `until` is met. */
async function collect(
  batches: AsyncIterable<readonly JournalEvent[]>,
  until: (seen: readonly string[]) => boolean = () => false,
): Promise<string[]> {
  const seen: string[] = [];
  for await (const batch of batches) {
    seen.push(...batch.map(({ stream, seq }) => `${stream} ${seq}`));
    if (until(seen)) break;
  }
  return seen;
}

eachDatabase('following streams', (open) => {
  /** A watch that hears of its own database's commits, as a composition connects them. */
  async function watched() {
    let watch: JournalWatch | undefined;
    const database = await open({
      onEvents: async (tx: WriteTx, events: readonly JournalEvent[]) => watch?.onEvents(tx, events),
    });
    watch = new JournalWatch(database);
    return { database, watch };
  }

  it('EX-063 EX-064: no gap and no duplicate while several connections write and a follower comes back again and again', {
    timeout: 60_000,
  }, async () => {
    const { database, watch } = await watched();
    const other = await open();
    const streams = ['run:a', 'run:b', 'run:c'];
    // A stream has one writer at a time, as a run has one owner; it moves from process to process.
    const writers = streams.map(async (stream) => {
      for (let i = 0; i < 60; i++) {
        await append(i % 2 === 0 ? database : other, stream, 1 + (i % 3));
        await delay(Math.random() * 4);
      }
    });
    const ended = Promise.all(writers).then(async () => {
      for (const stream of streams) await database.write((tx) => tx.journal.seal(stream));
    });
    const positions = new Map(streams.map((stream) => [stream, -1]));
    const seen: string[] = [];
    for (let isOver = false; !isOver; ) {
      const stop = new AbortController();
      let left = 20;
      isOver = true;
      for await (const batch of watch.follow(positions, stop.signal)) {
        for (const { stream, seq } of batch) {
          seen.push(`${stream} ${seq}`);
          positions.set(stream, seq);
        }
        if (--left > 0) continue;
        isOver = false;
        break;
      }
    }
    await ended;
    const each = Array.from({ length: 60 }, (_, i) => 1 + (i % 3)).reduce((a, b) => a + b);
    for (const stream of streams)
      expect(seen.filter((line) => line.startsWith(`${stream} `))).toEqual(
        Array.from({ length: each }, (_, seq) => `${stream} ${seq}`),
      );
  });

  it('ends with the seal, also of a stream that was sealed before, and waits for one that is not there yet', async () => {
    const { database, watch } = await watched();
    await append(database, 'run:old', 600);
    await database.write((tx) => tx.journal.seal('run:old'));
    const { signal } = new AbortController();
    expect(await collect(watch.follow(new Map([['run:old', 597]]), signal))).toEqual([
      'run:old 598',
      'run:old 599',
    ]);
    expect(await collect(watch.follow(new Map([['run:old', -1]]), signal))).toHaveLength(600);
    expect(await collect(watch.follow(new Map([['run:old', 599]]), signal))).toEqual([]);
    const waiting = collect(watch.follow(new Map([['run:new', -1]]), signal));
    await append(database, 'run:new');
    await database.write((tx) => tx.journal.seal('run:new'));
    expect(await waiting).toEqual(['run:new 0']);
  });

  it('is told of what another process seals, and stops when nobody wants it any more', async () => {
    const { watch } = await watched();
    const other = await open();
    const stop = new AbortController();
    const sealed = collect(watch.follow(new Map([['run:x', -1]]), stop.signal));
    await append(other, 'run:x');
    await other.write((tx) => tx.journal.seal('run:x'));
    expect(await sealed).toEqual(['run:x 0']);
    const idle = collect(watch.follow(new Map([['run:y', -1]]), stop.signal));
    stop.abort();
    expect(await idle).toEqual([]);
  });

  it('many who stand at one place of a stream read on together', async () => {
    const { database, watch } = await watched();
    const { signal } = new AbortController();
    const followers = Array.from({ length: 50 }, () =>
      collect(watch.follow(new Map([['run:a', -1]]), signal)),
    );
    await append(database, 'run:a');
    const read = database.read.bind(database);
    let reads = 0;
    Object.assign(database, { read: (body: Parameters<typeof read>[0]) => (reads++, read(body)) });
    await append(database, 'run:a');
    await database.write((tx) => tx.journal.seal('run:a'));
    for (const told of await Promise.all(followers)) expect(told).toEqual(['run:a 0', 'run:a 1']);
    expect(reads).toBeLessThan(50);
  });

  it('a stream that ends keeps no other waiting', async () => {
    const { database, watch } = await watched();
    const { signal } = new AbortController();
    const seen = collect(
      watch.follow(
        new Map([
          ['run:a', -1],
          ['run:b', -1],
        ]),
        signal,
      ),
    );
    await append(database, 'run:a');
    await database.write((tx) => tx.journal.seal('run:a'));
    await append(database, 'run:b', 2);
    await database.write((tx) => tx.journal.seal('run:b'));
    expect((await seen).toSorted()).toEqual(['run:a 0', 'run:b 0', 'run:b 1']);
  });

  it('EX-064: what is looked for again while it ends is not told twice', async () => {
    const { database, watch } = await watched();
    const other = await open();
    const { signal } = new AbortController();
    await append(database, 'run:a', 3);
    const read = database.read.bind(database);
    // Every read lets others look meanwhile.
    Object.assign(database, {
      read: async (body: Parameters<typeof read>[0]) => {
        const found = await read(body);
        await delay(20);
        return found;
      },
    });
    const seen = collect(
      watch.follow(
        new Map([
          ['run:a', -1],
          ['run:b', -1],
        ]),
        signal,
      ),
    );
    for (let i = 0; i < 5; i++) {
      await append(other, 'run:b');
      await delay(15);
      if (i === 1) await database.write((tx) => tx.journal.seal('run:a'));
    }
    await other.write((tx) => tx.journal.seal('run:b'));
    const lines = await seen;
    expect(lines).toHaveLength(8);
    expect(new Set(lines).size).toBe(8);
  });
});

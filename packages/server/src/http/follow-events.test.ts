import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { followEvents, remoteCaller } from '@palisade/client';
import { listEvents, setQueue } from '@palisade/contracts';
import type { Database } from '@palisade/kernel';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FlakyProxy } from '../../test/flaky-proxy.ts';
import { type HttpRig, httpRig } from '../../test/http-rig.ts';

const append = (database: Database, run: string, n: number) =>
  database.write(async (tx) => {
    for (let i = 0; i < n; i++)
      await tx.journal.append(`run:${run}`, 'item.canceled', { item: 'a', reason: `ä${i}` });
  });

/** Two runs that are admitted and never started; `write` tells of them until they are sealed. */
async function runs(rig: HttpRig) {
  const token = rig.token(['write']);
  for (const run_id of ['one', 'two']) {
    const body = { run_id, plan: { items: [{ id: 'a', command: 'true' }] } };
    const made = await rig.send('POST', '/v1/projects/default/runs', { token, key: run_id, body });
    expect(made.status, made.body.detail).toBe(200);
  }
  const { database } = rig.composition;
  return async (rounds: number, pauseMs = 5): Promise<void> => {
    for (let i = 0; i < rounds; i++) {
      await append(database, i % 2 === 0 ? 'one' : 'two', 1 + (i % 3));
      await delay(pauseMs);
    }
    for (const run of ['one', 'two']) await database.write((tx) => tx.journal.seal(`run:${run}`));
  };
}

/** What must have been told: every event of both runs, each once, in its order. */
async function expectWhole(rig: HttpRig, told: readonly string[]): Promise<void> {
  for (const run of ['one', 'two']) {
    const { seq } = await rig.composition.database.read((tx) => tx.journal.head(`run:${run}`));
    expect(told.filter((line) => line.startsWith(run))).toEqual(
      Array.from({ length: seq + 1 }, (_, i) => `${run} ${i}`),
    );
  }
}

async function collect(origin: string, token: string, told: string[], after?: string): Promise<string[]> {
  const follow = { runs: ['one', 'two'], ...(after === undefined ? {} : { after }) };
  for await (const { run_id, seq } of followEvents({ origin, token }, follow)) told.push(`${run_id} ${seq}`);
  return told;
}

/** A server that answers as it is told. */
async function answering(answer: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('following events from a program', () => {
  it('EX-063 EX-064: no gap and no duplicate, wherever connections are cut, also in the middle of a character', {
    timeout: 60_000,
  }, async () => {
    const rig = await httpRig();
    const write = await runs(rig);
    const proxy = await FlakyProxy.before(rig.url, 3_000);
    const told: string[] = [];
    const [token, other] = [rig.token(['read']), rig.token(['read'])];
    const followed = [collect(proxy.url, token, told), collect(proxy.url, other, [])];
    await write(120);
    await expect.poll(() => proxy.cuts, { timeout: 20_000 }).toBeGreaterThan(10);
    proxy.isFlaky = false;
    for (const each of await Promise.all(followed)) await expectWhole(rig, each);
  });

  it('EX-063 EX-064: nor across restarts of the server, wherever it began', { timeout: 60_000 }, async () => {
    const rig = await httpRig();
    const write = await runs(rig);
    const followed = collect(rig.url, rig.token(['read']), [], '-1.-1');
    const written = write(200, 20);
    for (const pauseMs of [0, 300, 800]) {
      await delay(300);
      await rig.restart(pauseMs);
    }
    await written;
    await expectWhole(rig, await followed);
  });

  it('the id of a frame lets another process go on behind it', async () => {
    const rig = await httpRig();
    const write = await runs(rig);
    await write(20, 0);
    const token = rig.token(['read']);
    const told: string[] = [];
    let id = '';
    for await (const frame of followEvents({ origin: rig.url, token }, { runs: ['one', 'two'] })) {
      told.push(`${frame.run_id} ${frame.seq}`);
      id = frame.id;
      if (told.length === 7) break;
    }
    await expectWhole(rig, await collect(rig.url, token, told, id));
  });

  it('ends with what is refused for good, with a server that stays away, and with its signal', async () => {
    const rig = await httpRig();
    const write = await runs(rig);
    const token = rig.token(['read']);
    await expect(collect(rig.url, 'unknown', [])).rejects.toMatchObject({ code: 'authentication_required' });
    const none = followEvents({ origin: rig.url, token }, { runs: ['none'] });
    await expect(none.next()).rejects.toMatchObject({ code: 'not_found' });
    const away = { origin: 'http://127.0.0.1:1', token, patienceMs: 300 };
    await expect(followEvents(away, { runs: ['one'] }).next()).rejects.toMatchObject({
      code: 'upstream_failed',
    });
    const leaving = new AbortController();
    const left = followEvents({ origin: rig.url, token }, { runs: ['one'], signal: leaving.signal });
    await left.next();
    const waiting = (async () => {
      for await (const _ of left);
    })();
    await delay(100);
    leaving.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
    rig.revoke(token);
    await write(1);
  });
});

describe('calls from a program', () => {
  it('end with their signal, in the middle of an answer and in the pause before the next attempt', async () => {
    const silent = await answering((_, response) => void response.writeHead(200).write('{'));
    const busy = await answering((_, response) => {
      response.writeHead(503, { 'Retry-After': '20' });
      response.end(JSON.stringify({ code: 'database_busy', detail: 'busy' }));
    });
    for (const origin of [silent, busy]) {
      const leaving = new AbortController();
      const call = remoteCaller({ origin, token: 'x' }).call(
        listEvents,
        { run: 'r' },
        { signal: leaving.signal },
      );
      setTimeout(() => leaving.abort(new Error('left')), 100);
      await expect(call).rejects.toThrow('left');
    }
  });

  it('wait for one attempt only so long, and change something under one key at every attempt', async () => {
    const keys: unknown[] = [];
    const retries: string[] = [];
    const origin = await answering((request) => void keys.push(request.headers['idempotency-key']));
    const remote = remoteCaller({
      origin,
      token: 'x',
      attemptMs: 50,
      patienceMs: 600,
      onRetry: ({ code }) => retries.push(code),
    });
    await expect(remote.call(setQueue, { name: 'q', concurrency: 1 })).rejects.toMatchObject({
      code: 'upstream_failed',
      message: `no answer from ${origin}: it took too long`,
    });
    expect(keys.length).toBeGreaterThan(1);
    expect(retries).toHaveLength(keys.length - 1);
    expect([...new Set(keys)]).toEqual([expect.stringMatching(/^[\x21-\x7e]{10,200}$/)]);
  });
});

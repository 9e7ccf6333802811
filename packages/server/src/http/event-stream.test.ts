import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@palisade/kernel';
import { describe, expect, it } from 'vitest';
import { type HttpRig, httpRig } from '../../test/http-rig.ts';
import { eventStreamReply } from './event-stream.ts';

const append = (database: Database, run: string, n = 1) =>
  database.write(async (tx) => {
    for (let i = 0; i < n; i++)
      await tx.journal.append(`run:${run}`, 'item.canceled', { item: 'a', reason: `line\nbreak ${i}` });
  });
const sealed = (database: Database, run: string) => database.write((tx) => tx.journal.seal(`run:${run}`));

/** A run that is admitted and never started: no engine runs here. */
async function submitted(rig: HttpRig, run: string): Promise<void> {
  const { status, body } = await rig.send('POST', '/v1/projects/default/runs', {
    token: rig.token(['write']),
    key: run,
    body: { run_id: run, plan: { items: [{ id: 'a', command: 'true' }] } },
  });
  expect(status, body.detail).toBe(200);
}

/** Reads frames until `enough` of them came, the stream ends or it breaks. */
async function frames(rig: HttpRig, token: string, query: string, enough: number, last?: string) {
  const leaving = new AbortController();
  const response = await fetch(`${rig.url}/v1/projects/default/events?${query}`, {
    headers: { Authorization: `Bearer ${token}`, ...(last === undefined ? {} : { 'Last-Event-ID': last }) },
    signal: leaving.signal,
  });
  const seen: { id: string; event: string; data: { run_id: string; seq: number } }[] = [];
  if (response.status !== 200 || response.body === null) return { status: response.status, seen };
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  let text = '';
  let isEnd = false;
  try {
    for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
      text += part;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const fields = new Map(
          block
            .split('\n')
            .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
        );
        if (fields.get('event') === 'end') isEnd = true;
        else if (fields.has('id'))
          seen.push({
            id: fields.get('id') ?? '',
            event: fields.get('event') ?? '',
            data: JSON.parse(fields.get('data') ?? ''),
          });
      }
      if (seen.length >= enough) break;
    }
  } catch {
    // Cut off: what came, came.
  }
  leaving.abort();
  return { status: response.status, seen, isEnd };
}

describe('event streams', () => {
  it('EX-063 EX-064: follow several runs over one connection, and come back without gap or duplicate', async () => {
    const rig = await httpRig();
    const { database } = rig.composition;
    const token = rig.token(['read']);
    await submitted(rig, 'one');
    await submitted(rig, 'two');
    const writing = (async () => {
      for (let i = 0; i < 40; i++) {
        await append(database, i % 2 === 0 ? 'one' : 'two', 1 + (i % 3));
        await delay(2);
      }
      await sealed(database, 'one');
      await sealed(database, 'two');
    })();
    const all: string[] = [];
    let last: string | undefined;
    for (let isEnd = false; !isEnd; ) {
      const got = await frames(rig, token, 'run=one&run=two', 7, last);
      all.push(...got.seen.map(({ data }) => `${data.run_id} ${data.seq}`));
      last = got.seen.at(-1)?.id ?? last;
      isEnd = got.isEnd === true;
    }
    await writing;
    for (const run of ['one', 'two']) {
      const { seq } = await database.read((tx) => tx.journal.head(`run:${run}`));
      expect(all.filter((line) => line.startsWith(run))).toEqual(
        Array.from({ length: seq + 1 }, (_, i) => `${run} ${i}`),
      );
    }
  });

  it('refuses what is no position of these runs, unknown runs and callers that may not read', async () => {
    const rig = await httpRig();
    await submitted(rig, 'one');
    const token = rig.token(['read']);
    const status = async (query: string, by = token, last?: string) =>
      (await frames(rig, by, query, 1, last)).status;
    expect(await status('run=one&after=1.2')).toBe(400);
    expect(await status('run=one', token, 'x')).toBe(400);
    expect(await status('run=one&run=one')).toBe(400);
    expect(await status('')).toBe(400);
    expect(await status('run=none')).toBe(404);
    expect(await status('run=one', rig.token(['write']))).toBe(403);
    expect(await status('run=one', 'unknown')).toBe(401);
  });

  it('end with the server, so that it can close while clients follow', async () => {
    const rig = await httpRig();
    await submitted(rig, 'one');
    const following = frames(rig, rig.token(['read']), 'run=one', 1_000);
    await delay(300);
    const began = performance.now();
    await rig.close();
    // The run goes on: whoever follows it comes back.
    expect((await following).isEnd).toBe(false);
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  it('leave nothing behind of clients that go in the middle', async () => {
    const rig = await httpRig();
    await submitted(rig, 'one');
    await append(rig.composition.database, 'one', 600);
    const token = rig.token(['read']);
    let reads = 0;
    const { database } = rig.composition;
    const read = database.read.bind(database);
    for (let i = 0; i < 5; i++)
      expect((await frames(rig, token, 'run=one', 3)).seen.length).toBeGreaterThan(2);
    await delay(300);
    Object.assign(database, { read: (body: never) => (reads++, read(body)) });
    await delay(1_300);
    expect(reads).toBe(0);
  });

  it('AC-056: end soon after the caller lost its right, also when nothing happens', async () => {
    let may = true;
    let stopped = false;
    const source = (async function* () {
      await new Promise(() => {});
      yield { id: '0', type: 'x' };
    })();
    const { signal: cut } = new AbortController();
    const life = { mayGoOn: async () => may, stop: () => void (stopped = true), cut };
    const reply = eventStreamReply(source, life, 20);
    const text = reply.text();
    await delay(70);
    expect(stopped).toBe(false);
    may = false;
    expect(await text).toMatch(/^retry: 1000\n\n(: \n\n)+$/);
    expect(stopped).toBe(true);
  });

  it('a client that takes nothing is cut off, and what fed it is stopped', async () => {
    let stopped = false;
    let given = 0;
    const source = (async function* () {
      for (;;) yield { id: String(given++), type: 'x'.repeat(1_000) };
    })();
    const reply = eventStreamReply(
      source,
      {
        mayGoOn: async () => true,
        stop: () => void (stopped = true),
        cut: new AbortController().signal,
      },
      15_000,
      50,
    );
    await expect.poll(() => stopped).toBe(true);
    expect(given).toBeLessThan(20);
    await expect(reply.text()).rejects.toThrow();
  });
});

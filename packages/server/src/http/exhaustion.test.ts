import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type HttpRig, httpRig } from '../../test/http-rig.ts';
import { callByHand, EVERYDAY } from '../../test/mcp-rig.ts';
import { head, rawRequest } from '../../test/raw-request.ts';

const KiB = 1024;
const VALIDATE = '/v1/projects/default/plans/validate';
const EVENTS = '/v1/projects/default/events?run=r';

/** A body that begins and does not end: `sent` bytes of it arrive. */
function halfBody(rig: HttpRig, token: string, sent: number) {
  const request = rawRequest(
    rig.url,
    head('POST', VALIDATE, {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'Content-Length': String(4_000 * KiB),
    }),
  );
  request.socket.write('x'.repeat(sent));
  return request;
}

const stream = (rig: HttpRig, token: string) =>
  rawRequest(rig.url, head('GET', EVENTS, { Authorization: `Bearer ${token}` }));

async function withRun(rig: HttpRig): Promise<HttpRig> {
  const body = { run_id: 'r', plan: { items: [{ id: 'a', command: 'true' }] } };
  const made = { token: rig.token(['write']), key: 'r', body };
  expect((await rig.send('POST', '/v1/projects/default/runs', made)).status).toBe(200);
  return rig;
}

const faults = ({ lines }: HttpRig) =>
  lines.filter(({ event, status }) => event === 'fault' || Number(status) >= 500);
const empty = { body: { plan: { items: [] } } };

describe('callers who want to exhaust a server', () => {
  it('bodies: a caller holds its share of them and no more, all callers together what there is, and nobody for ever', async () => {
    const bodyBytes = { perCaller: 512 * KiB, inAll: 1_024 * KiB };
    const rig = await httpRig({ load: { bodyBytes } });
    const [greedy, second, third] = [rig.token(['read']), rig.token(['read']), rig.token(['read'])];
    const held = [halfBody(rig, greedy, 250 * KiB), halfBody(rig, greedy, 250 * KiB)];
    await delay(200);
    const refused = halfBody(rig, greedy, 250 * KiB);
    expect(await refused.status).toBe(429);
    expect(refused.text()).toMatch(/retry-after: 1\b/i);
    // What it does holds nobody else up.
    expect((await rig.send('POST', VALIDATE, { token: second, ...empty })).status).toBe(200);
    held.push(halfBody(rig, second, 250 * KiB), halfBody(rig, second, 250 * KiB));
    await delay(200);
    const full = await rig.send('POST', VALIDATE, { token: third, ...empty });
    expect(full).toMatchObject({ status: 503, body: { code: 'overloaded', retryable: true } });
    expect(full.headers.get('retry-after')).toBe('1');
    for (const { socket } of held) socket.destroy();
    await expect
      .poll(async () => (await rig.send('POST', VALIDATE, { token: third, ...empty })).status)
      .toBe(200);
    expect((await rig.send('POST', VALIDATE, { token: greedy, ...empty })).status).toBe(200);
  });

  it('streams: a flood of them ends at the share of its caller, and what ended makes room', async () => {
    const rig = await withRun(await httpRig({ load: { streams: { perCaller: 3, inAll: 4 } } }));
    const [greedy, other] = [rig.token(['read']), rig.token(['read'])];
    const flood = Array.from({ length: 20 }, () => stream(rig, greedy));
    const told = await Promise.all(flood.map(({ status }) => status));
    expect(told.filter((status) => status === 200)).toHaveLength(3);
    expect(told.filter((status) => status === 429)).toHaveLength(17);
    expect(await stream(rig, other).status).toBe(200);
    expect(await stream(rig, other).status).toBe(503);
    // A caller whose streams are used up can do everything else.
    expect((await rig.send('GET', '/v1/projects/default/runs/r', { token: greedy })).status).toBe(200);
    for (const { socket } of flood) socket.destroy();
    await expect.poll(() => stream(rig, greedy).status).toBe(200);
  });

  it('requests: slow clients of one caller leave the others their place', async () => {
    const rig = await httpRig({ load: { calls: { perCaller: 5, inAll: 100 } } });
    const [slow, other] = [rig.token(['read']), rig.token(['read'])];
    const open = Array.from({ length: 5 }, () => halfBody(rig, slow, 1));
    await delay(200);
    const list = '/v1/projects/default/runs';
    expect(await rig.send('GET', list, { token: slow })).toMatchObject({ status: 429 });
    expect((await rig.send('GET', list, { token: other })).status).toBe(200);
    for (const { socket } of open) socket.destroy();
    await expect.poll(async () => (await rig.send('GET', list, { token: slow })).status).toBe(200);
  });

  it('large plans: a caller has two places in the queue for them, and what is small passes it by', async () => {
    const rig = await httpRig();
    const token = rig.token(['read']);
    const items = Array.from({ length: 2_000 }, (_, i) => ({ id: `i${i}`, command: 'x'.repeat(1_000) }));
    const large = () => rig.send('POST', VALIDATE, { token, body: { plan: { items } } });
    const told = (await Promise.all(Array.from({ length: 8 }, large))).map(({ status }) => status);
    expect(told.filter((status) => status === 200).length).toBeGreaterThan(0);
    expect(new Set(told)).toEqual(new Set([200, 429]));
    expect((await rig.send('POST', VALIDATE, { token, ...empty })).status).toBe(200);
  });

  it('a client that leaves in the middle of its body is no fault, over HTTP and MCP', async () => {
    const rig = await httpRig();
    const token = rig.token(EVERYDAY);
    for (const path of [VALIDATE, '/mcp'])
      for (const leave of ['destroy', 'resetAndDestroy', 'end'] as const) {
        const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
        const begun = rawRequest(rig.url, head('POST', path, { ...headers, 'Content-Length': '90000' }));
        begun.socket.write('{"plan":');
        await delay(50);
        begun.socket[leave]();
      }
    await expect.poll(() => rig.lines.filter(({ event }) => event === 'request').length).toBe(6);
    expect(faults(rig)).toEqual([]);
  });

  it('a long poll, also of a tool, ends when the server does', async () => {
    const rig = await withRun(await httpRig());
    const token = rig.token(EVERYDAY);
    const path = '/v1/projects/default/runs/r/events?after_seq=1000&wait_ms=30000';
    const polls = [
      rig.send('GET', path, { token }).then(({ body }) => body),
      callByHand(rig, token, 'runs_events', { run: 'r', after_seq: 1_000, wait_ms: 30_000 }).then(
        ({ told }) => told,
      ),
    ];
    await delay(300);
    const began = performance.now();
    await rig.close();
    // The rig gives requests a second to end; cut off, they would reject.
    for (const answer of await Promise.all(polls)) expect(answer).toMatchObject({ data: [], sealed: false });
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  it('a flood of questions whether it is ready is one question to the database', async () => {
    const rig = await httpRig();
    const { database } = rig.composition;
    const read = database.read.bind(database);
    let reads = 0;
    Object.assign(database, { read: (body: never) => (reads++, read(body)) });
    const answers = await Promise.all(Array.from({ length: 200 }, () => rig.send('GET', '/readyz')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(reads).toBeLessThan(10);
    Object.assign(database, { read: () => Promise.reject(new Error('away')) });
    await expect.poll(async () => (await rig.send('GET', '/readyz')).status, { timeout: 5_000 }).toBe(503);
  });

  it.each([
    ['GET / HTTP/1.1\r\nHost: a b\r\n\r\n', 400, 'bad_request_target_or_host'],
    ['GET ftp://a/ HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'bad_request_target_or_host'],
    ['canary\r\n\r\n', 400, 'malformed_head'],
    [head('GET', '/healthz', { canary: 'x'.repeat(20_000) }), 431, 'large_head'],
  ])(
    'what is refused before it is a request stands in the log, without its text: %#',
    async (text, status, why) => {
      const rig = await httpRig();
      expect(await rawRequest(rig.url, text).status).toBe(status);
      expect(rig.lines).toMatchObject([{ event: 'refused', why }]);
      expect(JSON.stringify(rig.lines)).not.toContain('canary');
    },
  );
});

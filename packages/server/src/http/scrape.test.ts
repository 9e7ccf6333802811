import { readFileSync } from 'node:fs';
import { METRICS } from '@palisade/contracts';
import { eachDatabase } from '@palisade/kernel/testing';
import { describe, expect, it } from 'vitest';
import { parsePrometheus } from '../../../dispatch/test/parse-prometheus.ts';
import { type HttpRig, httpRig } from '../../test/http-rig.ts';
import { head, rawRequest } from '../../test/raw-request.ts';
import { SharedAnswer } from './shared-answer.ts';

const RUNS = '/v1/projects/default/runs';
const NAMES = Object.values(METRICS).map(([name]) => name);

async function scrape(rig: HttpRig, token?: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${rig.url}/metrics`, {
    headers: { ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }), ...headers },
  });
  return { status: response.status, text: await response.text(), type: response.headers.get('content-type') };
}

async function value(rig: HttpRig, name: string, labels: Record<string, string> = {}) {
  const samples = [...parsePrometheus((await scrape(rig)).text).values()].flat();
  const found = samples.find(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([label, is]) => sample.labels[label] === is),
  );
  return found?.value;
}

eachDatabase('figures over HTTP', (open) => {
  it('EX-025 EX-216: every family, in the strict text format, with the requests of this process and no name of anybody', async () => {
    const url = open.url();
    const rig = await httpRig(url.startsWith('postgres') ? { databaseUrl: url } : {});
    const token = rig.token(['read', 'write']);
    const plan = { items: [{ id: 'canary-item', command: 'true' }] };
    await rig.send('POST', RUNS, { token, key: 'k', body: { run_id: 'canary-run', plan } });
    for (let i = 0; i < 3; i++) await rig.send('GET', RUNS, { token });
    await rig.send('GET', `${RUNS}/canary-none`, { token });
    await rig.send('GET', '/canary-path', { token });
    const { status, text, type } = await scrape(rig);
    expect([status, type]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    expect([...parsePrometheus(text).keys()].toSorted()).toEqual(NAMES.toSorted());
    expect(text).not.toMatch(/canary|pal_test|agent:|crd_|prn_/);
    const count = 'palisade_http_request_duration_seconds_count';
    expect(await value(rig, count, { operation: 'runs.list', status: '2xx' })).toBe(3);
    expect(await value(rig, count, { operation: 'runs.get', status: '4xx' })).toBe(1);
    expect(await value(rig, 'palisade_db_up')).toBe(1);
    expect(await value(rig, 'palisade_runs', { state: 'queued' })).toBe(1);
    expect(await value(rig, 'palisade_queue_depth', { queue: 'default' })).toBe(1);
    expect(await value(rig, 'palisade_queue_oldest_seconds', { queue: 'default' })).toBeLessThan(60);
    expect(await value(rig, 'palisade_disk_free_bytes')).toBeGreaterThan(0);
    expect(await value(rig, 'palisade_db_clock_skew_seconds')).toBeLessThan(5);
  });
});

describe('figures over HTTP', () => {
  it('EX-216: without its database the server says so, also when that does not answer at all', {
    timeout: 30_000,
  }, async () => {
    const rig = await httpRig();
    const { database } = rig.composition;
    const read = database.read.bind(database);
    for (const broken of [() => Promise.reject(new Error('away')), () => new Promise(() => {})]) {
      Object.assign(database, { read: broken });
      const began = performance.now();
      const { status, text } = await scrape(rig);
      expect(status).toBe(200);
      expect(performance.now() - began).toBeLessThan(5_000);
      expect(text).toContain('\npalisade_db_up 0\n');
      expect(text).toContain('\npalisade_http_refused_total 0\n');
      parsePrometheus(text);
      await new Promise((resolve) => setTimeout(resolve, 1_100));
    }
    Object.assign(database, { read });
  });

  it('DI-214: programs of this machine are not asked who they are; pages, foreign credentials and what a proxy passes on are', async () => {
    const rig = await httpRig();
    expect((await scrape(rig)).status).toBe(200);
    expect((await scrape(rig, undefined, { Origin: 'https://evil.example' })).status).toBe(403);
    expect(await rawRequest(rig.url, head('GET', '/metrics', { Host: 'evil.example' })).status).toBe(403);
    const proxied = await httpRig({ isBehindTls: true });
    for (const each of [rig, proxied]) {
      const status = async (...how: Parameters<HttpRig['token']>) =>
        (await scrape(each, each.token(...how))).status;
      expect(await status(['read'])).toBe(200);
      expect(await status(['system'])).toBe(200);
      expect(await status(['read'], { project: 'default' })).toBe(403);
      expect(await status(['write', 'approve', 'provision'])).toBe(403);
      expect((await scrape(each, 'unknown')).status).toBe(401);
    }
    expect((await scrape(proxied)).status).toBe(401);
  });

  it('what was limited, refused and is held is counted', async () => {
    const rig = await httpRig({ load: { streams: { perCaller: 0, inAll: 1 } } });
    const token = rig.token(['read']);
    expect((await rig.send('GET', '/v1/projects/default/events?run=r', { token })).status).toBe(429);
    await rawRequest(rig.url, 'nonsense\r\n\r\n').status;
    expect(await value(rig, 'palisade_http_limited_total')).toBe(1);
    expect(await value(rig, 'palisade_http_refused_total')).toBe(1);
    const body = head('POST', '/v1/projects/default/plans/validate', {
      Authorization: `Bearer ${token}`,
      'Content-Length': '100000',
    });
    const half = rawRequest(rig.url, `${body}{`);
    await expect.poll(() => value(rig, 'palisade_http_held', { what: 'body_bytes' })).toBe(65_536);
    half.socket.destroy();
    for (const what of ['requests', 'streams', 'body_bytes'])
      await expect.poll(() => value(rig, 'palisade_http_held', { what })).toBe(0);
  });

  it('every alert is about figures there are, and has a runbook', () => {
    const rules = readFileSync(
      new URL('../../../../deploy/prometheus/palisade.rules.yaml', import.meta.url),
      'utf8',
    );
    const runbook = readFileSync(new URL('../../../../docs/alerts.md', import.meta.url), 'utf8');
    const told = rules.match(/palisade_[a-z_]+/g) ?? [];
    const known = (name: string) => NAMES.some((each) => name.replace(/_(bucket|count|sum)$/, '') === each);
    expect(told.filter((name) => !known(name))).toEqual([]);
    const alerts = [...rules.matchAll(/alert: (\w+)/g)].map(([, name]) => name);
    expect(alerts.length).toBeGreaterThan(10);
    expect([...runbook.matchAll(/^## (\w+)$/gm)].map(([, name]) => name)).toEqual(alerts);
    const anchors = [...rules.matchAll(/runbook: "docs\/alerts\.md#(\w+)"/g)].map(([, anchor]) => anchor);
    expect(anchors).toEqual(alerts.map((name) => name?.toLowerCase()));
  });
});

it('a question is asked once for everybody, not again before it was answered, and again after a second', async () => {
  let asked = 0;
  const answer = Promise.withResolvers<string>();
  const shared = new SharedAnswer(() => (asked++, answer.promise), 50, 'late');
  expect(await Promise.all([shared.get(), shared.get()])).toEqual(['late', 'late']);
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  expect(await shared.get()).toBe('late');
  expect(asked).toBe(1);
  answer.resolve('told');
  expect(await shared.get()).toBe('told');
  expect(asked).toBe(1);
});

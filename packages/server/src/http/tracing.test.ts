import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { httpRig } from '../../test/http-rig.ts';
import { callByHand, EVERYDAY } from '../../test/mcp-rig.ts';

const RUNS = '/v1/projects/default/runs';
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

describe('spans, when the process has an SDK', () => {
  const exporter = new InMemorySpanExporter();
  beforeAll(() => {
    trace.setGlobalTracerProvider(
      new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
    );
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  });
  afterAll(() => {
    trace.disable();
    context.disable();
    propagation.disable();
  });
  beforeEach(() => exporter.reset());

  const told = () => exporter.getFinishedSpans().toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const parentOf = (span: ReadableSpan | undefined) => span?.parentSpanContext?.spanId;

  it('EX-216: one for each request, below its traceparent, and one for the call in it', async () => {
    const rig = await httpRig();
    const headers = { traceparent: `00-${TRACE}-${PARENT}-01` };
    const { headers: answered } = await rig.send('GET', RUNS, { token: rig.token(['read']), headers });
    const [request, call] = told();
    expect([request?.name, call?.name]).toEqual(['GET runs.list', 'runs.list']);
    expect([request, call].map((span) => span?.spanContext().traceId)).toEqual([TRACE, TRACE]);
    expect([parentOf(request), parentOf(call)]).toEqual([PARENT, request?.spanContext().spanId]);
    expect(request?.attributes).toEqual({
      'http.request.method': 'GET',
      'http.response.status_code': 200,
      'palisade.request_id': answered.get('request-id'),
      'palisade.operation': 'runs.list',
    });
  });

  it('a tool has the same call span; a refused request has none, and a fault says its code alone', async () => {
    const rig = await httpRig();
    await callByHand(rig, rig.token(EVERYDAY), 'runs_list');
    expect(told().map(({ name }) => name)).toEqual(['POST runs.list', 'runs.list']);
    exporter.reset();
    await rig.send('GET', RUNS, { headers: { traceparent: 'canary' } });
    expect(told().map(({ name, attributes }) => [name, attributes['http.response.status_code']])).toEqual([
      ['GET runs.list', 401],
    ]);
    exporter.reset();
    Object.assign(rig.composition.database, { read: () => Promise.reject(new Error('canary')) });
    await rig.send('GET', '/v1/admin/clock', { token: rig.token(['system']) });
    const [request, call] = told();
    expect(call?.attributes['error.type']).toBe('internal');
    expect([request?.status, call?.status]).toEqual([{ code: 2 }, { code: 2 }]);
  });

  it('nothing that anybody wrote, and no credential, is in them', async () => {
    const rig = await httpRig();
    const token = rig.token(['read', 'write']);
    const plan = { items: [{ id: 'canary', command: 'canary' }] };
    await rig.send('POST', `${RUNS}?canary=1`, { token, key: 'canary', body: { run_id: 'canary', plan } });
    await rig.send('POST', RUNS, { token, key: 'canary2', body: { run_id: 'canary', plan } });
    await rig.send('GET', `${RUNS}/canary`, { token });
    await rig.send('GET', '/canary', { token });
    const all = told().map(({ name, attributes, events, status }) => ({
      name,
      attributes,
      events,
      status,
    }));
    expect(all.length).toBeGreaterThan(5);
    expect(JSON.stringify(all)).not.toMatch(/canary|pal_test|agent:/);
  });
});

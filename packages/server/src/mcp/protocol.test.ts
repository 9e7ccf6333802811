import { getRun, listRuns, submitPlan } from '@palisade/contracts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { remoteCaller } from '@palisade/client';
import { httpRig } from '../../test/http-rig.ts';
import { EVERYDAY, mcpClient, REVISIONS } from '../../test/mcp-rig.ts';

const PLAN = { items: [{ id: 'a', command: 'true' }] };

describe.each(REVISIONS)('the official client, speaking %s', (revision) => {
  it('AO-128 AO-129 AO-130: finds the tools, calls them, and is answered as over HTTP', async () => {
    const rig = await httpRig();
    const token = rig.token(EVERYDAY);
    const { client, transport, call } = await mcpClient(rig, token, revision);
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    expect(client.getServerVersion()).toMatchObject({ name: 'palisade' });
    expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: false } });
    expect(transport.sessionId).toBeUndefined();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['runs_get', 'plans_submit']));
    const submitted = await call('plans_submit', { plan: PLAN, run_id: 'r1', idempotency_key: 'k1' });
    expect(submitted).toMatchObject({ isError: false, structured: { run_id: 'r1', created: true } });
    expect(submitted.text).toEqual(submitted.structured);
    const remote = remoteCaller({ origin: rig.url, token });
    expect((await call('runs_get', { run: 'r1' })).structured).toEqual(
      await remote.call(getRun, { run: 'r1' }),
    );
    expect(await call('runs_get', { run: 'none' })).toMatchObject({
      isError: true,
      structured: undefined,
      text: { code: 'not_found', status: 404, retryable: false, request_id: expect.stringMatching(/^req_/) },
    });
  });

  it('AO-132: a change needs its key, and one key is one receipt on both surfaces', async () => {
    const rig = await httpRig();
    const token = rig.token(EVERYDAY);
    const { call } = await mcpClient(rig, token, revision);
    const remote = remoteCaller({ origin: rig.url, token });
    expect(await call('plans_submit', { plan: PLAN })).toMatchObject({
      isError: true,
      text: { code: 'invalid_input', detail: expect.stringContaining('idempotency_key') },
    });
    const here = await call('plans_submit', { plan: PLAN, idempotency_key: 'one' });
    const there = await remote.call(submitPlan, { plan: PLAN }, { idempotencyKey: 'one' });
    expect(there.run_id).toBe(here.text['run_id']);
    const first = await remote.call(submitPlan, { plan: PLAN }, { idempotencyKey: 'two' });
    const again = await call('plans_submit', { plan: PLAN, idempotency_key: 'two' });
    expect(again.text['run_id']).toBe(first.run_id);
    expect((await remote.call(listRuns, {})).data).toHaveLength(2);
    const other = { items: [{ id: 'b', command: 'true' }] };
    expect(await call('plans_submit', { plan: other, idempotency_key: 'two' })).toMatchObject({
      isError: true,
      text: { code: 'idempotency_mismatch' },
    });
  });
});

it('AO-129: what tools answer meets the schema they promise', async () => {
  const rig = await httpRig();
  const { client, call } = await mcpClient(rig, rig.token(EVERYDAY));
  await call('plans_submit', { plan: PLAN, run_id: 'r1', idempotency_key: 'k' });
  const { tools } = await client.listTools();
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const about: Record<string, object> = {
    plans_validate: { plan: PLAN },
    plans_submit: { plan: PLAN, idempotency_key: 'x', dry_run: true },
    runs_extend: { run: 'r1', items: [], idempotency_key: 'e' },
  };
  let answered = 0;
  for (const { name, inputSchema, outputSchema, annotations } of tools) {
    ajv.compile(inputSchema);
    const isGood = ajv.compile(outputSchema ?? false);
    const named = Object.keys(inputSchema.properties ?? {});
    const args = about[name] ?? {
      ...(named.includes('run') ? { run: 'r1' } : {}),
      ...(named.includes('item') ? { item: 'a' } : {}),
      ...(named.includes('name') ? { name: 'default' } : {}),
      ...(named.includes('text') ? { text: 'hello' } : {}),
      ...(annotations?.readOnlyHint === true ? {} : { idempotency_key: name }),
    };
    const { isError, text } = await call(name, { ...args });
    if (isError) continue;
    answered += 1;
    expect(isGood(text), `${name}: ${JSON.stringify(isGood.errors)}`).toBe(true);
  }
  expect(answered).toBeGreaterThan(20);
});

import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { typedClient } from '@palisade/client';
import { setQueue, SCOPES } from '@palisade/contracts';
import { expect, it, onTestFinished } from 'vitest';
import { openapiTypes } from '../../../../scripts/openapi-types.ts';
import { CuttingProxy } from '../../test/cutting-proxy.ts';
import { httpRig } from '../../test/http-rig.ts';

const root = new URL('../../../../', import.meta.url);
const SLOW = { path: { project: 'default', name: 'slow' } };
const QUEUE = '/v1/projects/{project}/queues/{name}';

it("EX-217: the client's types are what the document says (npm run openapi writes them)", async () => {
  const committed = readFileSync(new URL('packages/client/src/generated/openapi.ts', root), 'utf8');
  expect(await openapiTypes(new URL('openapi.json', root))).toBe(committed);
});

it('the example of its document does what it says', async () => {
  const [, code = ''] = /```ts\n(.*?)```/s.exec(readFileSync(new URL('docs/client.md', root), 'utf8')) ?? [];
  expect(code.trim().split('\n').length).toBeLessThanOrEqual(12);
  // Beside the client, so that what it imports is found as in a program that has installed it.
  const directory = await mkdtemp(new URL('packages/server/test/.example-', root).pathname);
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  await writeFile(join(directory, 'example.ts'), code);
  const example = (await import(pathToFileURL(join(directory, 'example.ts')).href)) as {
    submitted(origin: string, token: string): Promise<string>;
  };
  const rig = await httpRig();
  expect(await example.submitted(rig.url, rig.token(SCOPES))).toBe('true, 1 item');
});

it('AC-024: repeats a change whose answer was lost under one key, its own or the one it was given', async () => {
  const rig = await httpRig();
  const proxy = await CuttingProxy.before(rig.url);
  onTestFinished(() => proxy.close());
  const client = typedClient({ origin: proxy.url, token: rig.token(SCOPES) });
  proxy.cutNext('before');
  const { data, error } = await client.PUT(QUEUE, { params: SLOW, body: { concurrency: 2 } });
  expect(error).toBeUndefined();
  expect(data).toEqual(JSON.parse(proxy.cut[0] ?? ''));
  const keyed = { ...SLOW, header: { 'Idempotency-Key': 'mine' } };
  await client.PUT(QUEUE, { params: keyed, body: { concurrency: 3 } });
  await expect(client.PUT(QUEUE, { params: keyed, body: { concurrency: 4 } })).rejects.toMatchObject({
    code: 'idempotency_mismatch',
  });
});

it('EX-017: raises what the server refuses, asks in the query, and sends no path that means another one', async () => {
  const rig = await httpRig();
  const client = typedClient({ origin: rig.url, token: rig.token(['read']) });
  const queues = await client.GET('/v1/projects/{project}/queues', {
    params: { path: { project: 'default' } },
  });
  expect(queues.data?.data.map(({ name }) => name)).toEqual(['default']);
  const query = { state: ['completed', 'failed'] as ('completed' | 'failed')[], limit: 2 };
  const runs = await client.GET('/v1/projects/{project}/runs', {
    params: { path: { project: 'default' }, query },
  });
  expect(runs.data?.data).toEqual([]);
  await expect(client.PUT(QUEUE, { params: SLOW, body: { concurrency: 2 } })).rejects.toMatchObject({
    code: 'operation_not_permitted',
    message: `it needs the scope ${setQueue.access}`,
  });
  await expect(
    client.GET(QUEUE, { params: { path: { project: 'default', name: '..' } } }),
  ).rejects.toMatchObject({ code: 'invalid_input' });
});

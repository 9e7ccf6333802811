import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { getInfo, type ServerInfo } from '@palisade/contracts';
import { withFileLock } from '@palisade/process';
import { expect, it, onTestFinished } from 'vitest';
import type * as z from 'zod';
import { credentialsFile, keepToken } from '../src/server/credentials.ts';
import { MutationJournal } from '../src/server/mutation-journal.ts';
import { journalDirectory, lockOf } from '../src/server/pending-changes.ts';
import { Place } from './place.ts';

const TOKEN = 'pal_canary_of_a_token';
const never = new AbortController().signal;
const info: z.input<typeof ServerInfo> = {
  product: 'palisade',
  product_version: '9.9.9',
  api_version: 'v1',
  instruction_version: 2,
  openapi: '/openapi.json',
  authentication_help: '/v1/help/authentication',
  agent_startup: { schema: 2, guide: 'x', mcp: { instructions: 'x' } },
  mcp: { path: '/mcp' },
  client_compatibility: {
    api_versions: ['v1'],
    mcp_protocol_versions: ['2025-11-25'],
    capabilities: [],
    compatible_client: { name: 'palisade', version: '9.9.9' },
    verified_packages: [],
  },
};

it('AO-036: pal server diagnose tells each step by itself, changes nothing, shows no credential, and shows it to its server alone', async () => {
  const seen: string[] = [];
  const state = { told: info as object, behindMs: 60_000 };
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization ?? 'nobody'}`);
    const time = new Date(Date.now() - state.behindMs).toISOString();
    response.writeHead(200, { 'content-type': 'application/json', 'server-time': time });
    response.end(JSON.stringify(state.told));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const place = new Place({ runs: [] });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
    place[Symbol.dispose]();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const diagnosed = async (env: Record<string, string> = {}) => {
    const { stdout, code } = await place.pal(['server', 'diagnose', '--json'], {
      env: { PALISADE_SERVER: origin, ...env },
    });
    expect(stdout).not.toContain(TOKEN);
    const { checks } = JSON.parse(stdout) as {
      checks: { name: string; result: string; detail: string }[];
    };
    return { code, of: (name: string) => checks.find((check) => check.name === name) };
  };
  const before = readdirSync(place.directory, { recursive: true });
  const bare = await diagnosed();
  expect(bare.code).toBe(1);
  expect(bare.of('binding')).toMatchObject({
    result: 'ok',
    detail: expect.stringContaining('PALISADE_SERVER'),
  });
  expect(bare.of('credential')).toMatchObject({ result: 'fail', next: `pal login ${origin}` });
  expect(bare.of('server')).toMatchObject({ result: 'ok', detail: 'palisade 9.9.9, API v1' });
  expect(bare.of('clock')?.result).toBe('warn');
  expect(bare.of('clock')?.detail).toMatch(/(59|60|61)\d{3} ms behind/);
  expect(bare.of('state')?.detail).toContain('not there yet');
  expect(readdirSync(place.directory, { recursive: true })).toEqual(before);

  await keepToken(credentialsFile(place.env()), { origin, token: TOKEN }, never);
  const stateDirectory = join(place.directory, '.local/state/palisade');
  mkdirSync(join(stateDirectory, 'pending'), { recursive: true, mode: 0o700 });
  chmodSync(stateDirectory, 0o700);
  const lock = lockOf(journalDirectory({ stateDirectory, origin, project: 'default', session: 'default' }));
  expect((await diagnosed()).of('lock file')?.detail).toContain('not there yet');
  await withFileLock(lock, { busy: 'x', signal: never }, async () => {
    const held = await diagnosed();
    expect(held.of('lock file')?.result).toBe('ok');
    expect(held.of('lock')?.result).toBe('warn');
  });
  state.behindMs = 0;
  const well = await diagnosed();
  expect(well.code).toBe(0);
  expect(well.of('lock')?.result).toBe('ok');
  expect(well.of('credential')).toEqual({
    name: 'credential',
    result: 'ok',
    detail: credentialsFile(place.env()),
  });
  expect(well.of('pending')).toBeUndefined();
  const journal = await MutationJournal.open(
    journalDirectory({ stateDirectory, origin, project: 'default', session: 'default' }),
    origin,
    TOKEN,
  );
  journal.begin({ key: 'k', tool: 'plans.submit', args: '{"secret":"canary"}' });
  journal.close();
  const blocked = await diagnosed();
  expect(blocked.of('pending')).toMatchObject({ result: 'warn', next: 'pal retry' });
  expect(blocked.of('pending')?.detail).toContain('plans.submit');
  state.told = { hello: 'world' };
  expect((await diagnosed()).of('server')?.result).toBe('fail');
  expect((await diagnosed({ PALISADE_SERVER: 'http://127.0.0.1:1' })).of('server')?.result).toBe('fail');
  expect((await diagnosed({ PALISADE_SERVER: 'http://evil.example' })).of('binding')?.result).toBe('fail');
  writeFileSync(join(stateDirectory, 'notes.txt'), '');
  expect((await diagnosed()).of('state')).toMatchObject({ result: 'fail' });
  expect(new Set(seen)).toEqual(
    new Set([
      `GET ${getInfo.path} nobody`,
      `GET /v1/projects?limit=1 Bearer ${TOKEN}`,
      `GET /v1/projects/default Bearer ${TOKEN}`,
    ]),
  );
});

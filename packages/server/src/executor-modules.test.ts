import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Executor, ExecutorFactory, ExecutorHost } from '@palisade/contracts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { executorsOf } from './executor-modules.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'palisade-modules-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

const host = { directory: '/nowhere' } as ExecutorHost;
const executor = (name: string): Executor => ({
  name,
  fire: () => expect.unreachable(),
  recover: () => expect.unreachable(),
  discard: () => expect.unreachable(),
});
function module(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text, { mode: 0o644 });
  return path;
}
const namesOf = async (modules: string, factories: readonly ExecutorFactory[] = []): Promise<string[]> => [
  ...(await executorsOf(executor('local'), { modules, factories, host })).keys(),
];

test('ours, those of modules and those that were brought along stand side by side; each is given the host', async () => {
  const making = (name: string): string =>
    `export default (host) => ({ name: '${name}' + host.directory, fire() {}, recover() {}, discard() {} });`;
  expect(await namesOf(module('a.mjs', making('a')), [async () => executor('b')])).toEqual([
    'local',
    'a/nowhere',
    'b',
  ]);
});

test('two of one name are refused, and so is what is no executor', async () => {
  await expect(namesOf('', [() => executor('local')])).rejects.toMatchObject({
    code: 'requirements_unmet',
    message: expect.stringContaining('two executors are called local'),
  });
  const half = { name: 'half' } as Executor;
  await expect(namesOf('', [() => half])).rejects.toMatchObject({ code: 'requirements_unmet' });
  const path = module('half.mjs', "export default () => ({ name: 'half' });");
  await expect(namesOf(path)).rejects.toMatchObject({
    code: 'requirements_unmet',
    why: 'its default export does not make an executor',
  });
});

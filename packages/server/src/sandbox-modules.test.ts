import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { isPalisadeError } from '@palisade/contracts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadSandboxModules } from './sandbox-modules.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'palisade-modules-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

function module(name: string, text: string, mode = 0o644): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}
const making = (name: string): string =>
  `export default () => ({ name: '${name}', strength: 1, probe() {}, allocate() {}, reap() {} });`;

test('every module of the list makes one provider, in order', async () => {
  const paths = [module('a.mjs', making('a')), module('b b.mjs', making('b'))];
  const providers = await loadSandboxModules(paths.join(delimiter));
  expect(providers.map(({ name }) => name)).toEqual(['a', 'b']);
  expect(await loadSandboxModules(undefined)).toEqual([]);
  expect(await loadSandboxModules('')).toEqual([]);
});

test.each([
  ['./a.mjs', 'the path is not absolute'],
  ['a.mjs', 'the path is not absolute'],
  ['/no/such/module.mjs', 'there is no such file'],
])('%s is refused: %s', async (path, why) => {
  await expect(loadSandboxModules(path)).rejects.toMatchObject({ code: 'requirements_unmet', why });
});

test('a file that every user may write is refused and never run', async () => {
  const path = module('open.mjs', 'globalThis.ranOpenModule = true;', 0o666);
  await expect(loadSandboxModules(path)).rejects.toMatchObject({
    why: 'every user of this machine may write it',
  });
  expect(Reflect.get(globalThis, 'ranOpenModule')).toBe(undefined);
});

test('a module that fails or makes something else names itself, and not what it holds', async () => {
  for (const text of [
    "throw new Error('canary');",
    'export default () => ({});',
    'export const x = 1;',
    'syntax error',
  ]) {
    const path = module(`bad-${text.length}.mjs`, text);
    const error: unknown = await loadSandboxModules(path).catch((thrown: unknown) => thrown);
    if (!isPalisadeError(error, 'requirements_unmet')) throw new Error('it was not refused');
    expect(error.message).toContain(path);
    expect(`${error.message} ${error.why}`).not.toContain('canary');
  }
});

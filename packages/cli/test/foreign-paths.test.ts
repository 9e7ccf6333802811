import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isForeignSpelling } from '../src/user-path.ts';
import { HARDEN, hardenScenario } from './double/harden.ts';
import { BIN, Place } from './place.ts';

const FORMS = ['C:\\work\\x', 'c:/work/x', '\\\\server\\share\\x'];
const BUNDLE = join(import.meta.dirname, '../../evidence/vectors/intact.json');
const run = HARDEN.slice(0, 20);

/** What is in a directory, apart from what the double itself writes there. */
const entries = (directory: string) =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !/^(?:scenario|calls)\./.test(name),
  );

it('FF-170: a path in the spelling of another system is refused wherever one is taken, and nothing is made', async () => {
  const blob = `sha256:${'ab'.repeat(32)}`;
  const bundle: unknown = JSON.parse(readFileSync(BUNDLE, 'utf8'));
  const answers = { 'evidence.export': bundle };
  using place = new Place({ ...hardenScenario(), blobs: { [blob]: 'AAAA' }, answers });
  writeFileSync(join(place.directory, 'plan.json'), '{"items":[{"id":"a","command":"true"}]}');
  const before = entries(place.directory);
  for (const form of FORMS)
    for (const args of [
      ['run', form],
      ['run', 'plan.json', '--repo', form],
      ['status', '-C', form],
      ['artifact', 'get', blob, '-o', form],
      ['artifact', 'get', blob, '-o', form, '--force'],
      ['evidence', 'export', run, '-o', form],
      ['capability', 'register', 'x', form],
      ['secret', 'put', 'x', '--file', form],
      ['verify', form],
    ]) {
      const { code, stdout, stderr } = await place.pal(args);
      expect([args, code, stdout]).toEqual([args, 2, '']);
      expect(stderr).toContain('is a path of another system');
    }
  expect(entries(place.directory)).toEqual(before);
}, 240_000);

it('FF-170: base directories of the environment that are not absolute here are none, and nothing is made in the project', async () => {
  using place = new Place(hardenScenario());
  for (const form of ['C:\\Users\\ada', 'C:/Users/ada', 'relative']) {
    const env = { HOME: form, XDG_CONFIG_HOME: form, XDG_CACHE_HOME: form };
    expect((await place.pal(['config', 'get'], { env })).code).toBe(0);
    const set = await place.pal(['config', 'set', 'utc', 'true'], { env });
    expect([set.code, set.stderr]).toEqual([2, expect.stringContaining('no home directory')]);
    const { NODE_COMPILE_CACHE: _, ...bare } = place.env(env);
    const launched = spawnSync(process.execPath, [BIN, 'version'], { cwd: place.directory, env: bare });
    expect(launched.status).toBe(0);
  }
  expect(entries(place.directory)).toEqual([]);
});

it('FF-170: on Windows the forms its shells convert arguments to are foreign, and here they are paths', () => {
  for (const path of ['/c/work', '/C', '/mnt/c/work', '/cygdrive/d'])
    expect([isForeignSpelling(path, 'win32'), isForeignSpelling(path, 'linux')], path).toEqual([true, false]);
  for (const path of ['C:\\work', 'work', '.\\x', '/cargo', 'a:b'])
    expect(isForeignSpelling(path, 'win32'), path).toBe(false);
  for (const path of ['a:b', 'plan.json', './C:/x', '/tmp/C:/x', '-']) {
    expect(isForeignSpelling(path, 'linux'), path).toBe(false);
  }
});

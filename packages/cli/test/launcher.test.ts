import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { oldNode } from '../../../tests/support/old-node.ts';
import { BIN, Place } from './place.ts';

describe('the launcher', () => {
  it('is plain JavaScript that holds no TypeScript', () => {
    expect(readFileSync(BIN, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(spawnSync(process.execPath, ['--no-experimental-strip-types', '--check', BIN]).status).toBe(0);
  });

  it.skipIf(oldNode === undefined)(
    'runs the product with the bundled Node when started by an old one',
    () => {
      using place = new Place({ runs: [] });
      const ended = spawnSync(oldNode ?? '', [BIN, 'version'], { encoding: 'utf8', env: place.env() });
      expect(ended.status).toBe(0);
      expect(ended.stdout).toMatch(/node 2[2-9]\./);
      expect(spawnSync(oldNode ?? '', [BIN, 'nonsense'], { encoding: 'utf8', env: place.env() }).status).toBe(
        2,
      );
    },
  );

  it.skipIf(oldNode === undefined)('says plainly what is needed when there is none', () => {
    using place = new Place({ runs: [] });
    const ended = spawnSync(oldNode ?? '', [BIN, 'version'], {
      encoding: 'utf8',
      env: place.env({ PALISADE_REEXECUTED: '1' }),
    });
    expect(ended.status).toBe(3);
    expect(ended.stderr).toContain('code unsupported_runtime');
  });

  it('FF-169: works from a home and a project whose names hold blanks, quotes, percent signs and CJK', () => {
    using place = new Place({ runs: [] }, `palisade 'a" %20 ü 家-`);
    const project = join(place.directory, `my project's "家" 100%`);
    mkdirSync(project);
    const pal = (...args: string[]) =>
      spawnSync(process.execPath, [BIN, ...args], { encoding: 'utf8', cwd: project, env: place.env() });
    expect(pal('init')).toMatchObject({ status: 0 });
    expect(pal('status').stdout).toBe('no runs yet\n');
    expect(pal('config', 'set', 'utc', 'true').status).toBe(0);
    expect(pal('config', 'get', 'utc').stdout).toBe('true\n');
  }, 120_000);
});

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildCliPackage } from '../../scripts/build/cli-package.ts';
import { removeInstallation } from '../support/installation.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/first-run.md'), 'utf8');

/** `.ci/run` proves the first on a clean clone; the second is what is done before the test. */
const ELSEWHERE = ['npm ci', 'npm run build'];

let home = '';
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'palisade-first-run-'));
  await buildCliPackage(join(home, 'clone/dist/cli'));
});
afterAll(() => removeInstallation(home));

/** The page's blocks of a kind, in order. */
const blocks = (kind: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${kind}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, text]) => text ?? '');

test('every command of docs/first-run.md works as it stands there, in an empty home, and prints what is shown', () => {
  const script = blocks('sh').join('\n');
  const lines = script.split('\n');
  expect(lines.filter((line) => ELSEWHERE.includes(line))).toEqual(ELSEWHERE);
  const ended = spawnSync('sh', ['-eu', '-c', lines.filter((line) => !ELSEWHERE.includes(line)).join('\n')], {
    cwd: join(home, 'clone'),
    encoding: 'utf8',
    env: {
      // The optional Node is not in a package of ours, and there is no network here: this process's is taken.
      PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`,
      npm_config_offline: 'true',
      npm_config_omit: 'optional',
      HOME: home,
      LANG: 'C.UTF-8',
      GIT_CONFIG_GLOBAL: '/dev/null',
    },
  });
  expect(ended.status, ended.stdout + ended.stderr).toBe(0);
  const printed = `${ended.stdout}\n${ended.stderr}`.split('\n');
  const shown = blocks('text').flatMap((text) => text.trim().split('\n'));
  expect(shown.length).toBeGreaterThan(8);
  for (const line of shown) {
    const pattern = line.split('…').map((part) => part.trim().replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    const expected = new RegExp(`^${pattern.join('.*')}.*$`);
    expect(
      printed.some((each) => expected.test(each.trim())),
      `${line}\n\nis not in\n\n${printed.join('\n')}`,
    ).toBe(true);
  }
  expect(execFileSync('git', ['diff', '--stat'], { cwd: join(home, 'shop'), encoding: 'utf8' })).toContain(
    'prices.txt',
  );
}, 240_000);

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

/** Everything that a reader or a user may be told: documents, and the sources of what is printed. */
const texts = execFileSync(
  'git',
  ['ls-files', '-z', '*.md', 'packages/*.ts', 'packages/*.json', 'examples'],
  {
    cwd: ROOT,
    encoding: 'utf8',
  },
)
  .split('\0')
  .filter((path) => path !== '' && !/\.test\.ts$|\/vectors\/|^docs\/coverage\.md$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

test('DI-005: nothing is called compliant, whoever would have to say so', () => {
  expect(texts.length).toBeGreaterThan(500);
  const claims = texts.filter(({ text }) => /\bcomplian(t|ce)\b(?!-ready)/i.test(text));
  expect(claims.map(({ path }) => path)).toEqual([]);
});

test('DI-005: documents call no evidence tamper-evident that has no anchor outside of the installation', () => {
  const claims = texts
    .filter(({ path }) => path.endsWith('.md'))
    .flatMap(({ path, text }) =>
      text
        .split('\n')
        .filter((line) => line.includes('tamper-evident') && !/\b(not|needs|would|none)\b/.test(line))
        .map((line) => `${path}: ${line}`),
    );
  expect(claims).toEqual([]);
});

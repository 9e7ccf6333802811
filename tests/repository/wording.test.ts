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

/** Places that call something tamper-evident: it is said in no other form than that it is not, or what it would need. */
function claimsIn(text: string): string[] {
  const denied = /\bnot\s+tamper-evident\b|\btamper-evident[`*]*\s+(?:would\s+need|needs)\s+an?\s/g;
  return text
    .replaceAll(denied, '')
    .split('\n')
    .filter((line) => /tamper[-\s]evident/i.test(line));
}

test('DI-005: documents call no evidence tamper-evident that has no anchor outside of the installation', () => {
  for (const claim of [
    'Runs are tamper-evident: nobody needs to trust us.',
    'Tamper-evident evidence, which none of the others has.',
    'It is not only tamper-evident.',
  ])
    expect(claimsIn(claim)).toEqual([claim]);
  const claims = texts
    .filter(({ path }) => path.endsWith('.md'))
    .flatMap(({ path, text }) => claimsIn(text).map((line) => `${path}: ${line}`));
  expect(claims).toEqual([]);
});

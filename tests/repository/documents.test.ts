import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { errorCatalogue } from '@palisade/contracts';
import { planFields } from './plan-fields.ts';
import { settingKeys } from '../../packages/cli/src/config/keys.ts';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

const documents = execFileSync('git', ['ls-files', '-z', '*.md'], { cwd: ROOT, encoding: 'utf8' })
  .split('\0')
  .filter((path) => path !== '');

test('DI-271: every relative link in a document leads to a file, and every anchor to a heading', () => {
  const broken: string[] = [];
  let links = 0;
  for (const document of documents) {
    const text = readFileSync(join(ROOT, document), 'utf8').replaceAll(/```[\s\S]*?```/g, '');
    for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      links++;
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? join(ROOT, document) : join(ROOT, dirname(document), path);
      const isThere = existsSync(file) && (anchor === undefined || headings(file).includes(anchor));
      if (!isThere) broken.push(`${document}: ${target}`);
    }
  }
  expect(links).toBeGreaterThan(10);
  expect(broken).toEqual([]);
});

test('the index of the documents names every document and every example', () => {
  const index = readFileSync(join(ROOT, 'docs/README.md'), 'utf8');
  const pages = documents
    .filter((path) => /^docs\/[^/]+\.md$/.test(path) && path !== 'docs/README.md')
    .map((path) => path.slice('docs/'.length));
  const examples = documents
    .filter((path) => /^examples\/[^/]+\/README\.md$/.test(path))
    .map((path) => `../${dirname(path)}`);
  expect(examples.length).toBeGreaterThan(5);
  expect([...pages, ...examples].filter((path) => !index.includes(`](${path})`))).toEqual([]);
});

function headings(file: string): string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('#'))
    .map((line) =>
      line
        .replace(/^#+ /, '')
        .toLowerCase()
        .replaceAll(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-'),
    );
}

test('DI-160: the reference of plans has one row for every field of the schema, with its type and limits', () => {
  const text = readFileSync(join(ROOT, 'docs/plan-reference.md'), 'utf8');
  const rows = [...text.matchAll(/^\| `([^`]+)` +\| (.*?) +\| /gm)].map(([, path, type]) => [path, type]);
  const said = new Map(rows as [string, string][]);
  expect(rows.length).toBe(said.size);
  expect(Object.fromEntries(said)).toEqual(Object.fromEntries(planFields()));
});

test('the configuration table names every setting, and the exit codes every status', () => {
  const operating = readFileSync(join(ROOT, 'docs/operating.md'), 'utf8');
  expect(settingKeys.map((key) => key.name).filter((name) => !operating.includes(`\`${name}\``))).toEqual([]);
  const statuses = new Set(Object.values(errorCatalogue).map((facts) => facts.exit));
  expect([...statuses].filter((exit) => !operating.includes(`\n| ${exit} | `))).toEqual([]);
});

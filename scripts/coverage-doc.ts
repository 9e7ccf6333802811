/*
 * Writes docs/coverage.md: which tests prove which rules of docs/coverage-scope.json.
 *
 *     node scripts/coverage-doc.ts            writes the document
 *     node scripts/coverage-doc.ts --check    ends with 1 when the committed document is stale
 *
 * A test proves a rule by naming its id in its own title or in a suite's around it. Titles are read
 * from the syntax tree, so an id in a comment or in an assertion proves nothing, nor does a test that
 * is switched off for good (`it.skip`, `it.todo`). The output depends on the repository's files alone.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readScope, renderCoverage } from './coverage-doc/render.ts';
import { testFiles } from './coverage-doc/test-files.ts';
import { namedRules } from './coverage-doc/test-titles.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const scopePath = join(root, 'docs/coverage-scope.json');
const documentPath = join(root, 'docs/coverage.md');

async function main(args: readonly string[]): Promise<number> {
  const unknown = args.filter((argument) => argument !== '--check');
  if (unknown.length > 0) {
    console.error(`coverage-doc: unknown argument ${unknown.join(' ')}; the only one is --check`);
    return 2;
  }
  const proofs = new Map<string, Set<string>>();
  for (const file of await testFiles(root)) {
    const name = relative(root, file).split(sep).join('/');
    for (const id of namedRules(name, await readFile(file, 'utf8'))) {
      const files = proofs.get(id) ?? new Set();
      proofs.set(id, files.add(name));
    }
  }
  const document = renderCoverage(readScope(await readFile(scopePath, 'utf8')), proofs);
  if (!args.includes('--check')) {
    await writeFile(documentPath, document);
    return 0;
  }
  const committed = await readFile(documentPath, 'utf8').catch(() => '');
  if (committed === document) return 0;
  console.error('docs/coverage.md is stale: run npm run coverage-doc and commit the result');
  return 1;
}

process.exitCode = await main(process.argv.slice(2));

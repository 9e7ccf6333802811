import { readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';

const PLACES = ['packages', 'tests', 'examples', 'scripts'];

/** Paths of all files with tests: `*.test.ts`, and the suites that contracts publishes. Sorted. */
export async function testFiles(root: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const place of PLACES) await collect(join(root, place), found);
  return found.sort();
}

async function collect(directory: string, found: string[]): Promise<void> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) {
      if (entry.name !== 'node_modules' && !entry.name.startsWith('.')) await collect(path, found);
    } else if (entry.isFile() && isTestFile(path)) {
      found.push(path);
    }
  }
}

function isTestFile(path: string): boolean {
  if (path.endsWith('.test.ts')) return true;
  return path.endsWith('.ts') && path.includes(join('contracts', 'src', 'testing') + sep);
}

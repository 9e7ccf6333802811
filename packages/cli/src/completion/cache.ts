import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { foreignLine } from '../output/foreign-text.ts';

const KEPT = 200;

/** Where completion scripts look for run ids: one `id<TAB>title` a line, newest first. */
export function cacheFile(projectDirectory: string): string {
  return join(projectDirectory, '.palisade', 'cache', 'runs.tsv');
}

/** Remembers a new run for completion. Only a convenience: failing to write is not an error. */
export function rememberRun(projectDirectory: string, id: string, title: string): void {
  try {
    const file = cacheFile(projectDirectory);
    if (!isHome(projectDirectory)) return;
    mkdirSync(join(projectDirectory, '.palisade', 'cache'), { recursive: true });
    appendFileSync(file, `${id}\t${foreignLine(title)}\n`);
  } catch {
    // Completion then offers fewer ids.
  }
}

/** Replaces what completion knows by a fresh listing, keeping older ids that it did not include. */
export function rememberRuns(
  projectDirectory: string,
  runs: readonly { readonly id: string; readonly title: string }[],
): void {
  if (runs.length === 0 || !isHome(projectDirectory)) return;
  try {
    const file = cacheFile(projectDirectory);
    const fresh = runs.map((run) => `${run.id}\t${foreignLine(run.title)}`);
    const known = new Set(runs.map((run) => run.id));
    const older = readLines(file).filter((line) => !known.has(line.split('\t')[0] ?? ''));
    const text = `${[...fresh, ...older].slice(0, KEPT).join('\n')}\n`;
    mkdirSync(join(projectDirectory, '.palisade', 'cache'), { recursive: true });
    const temporary = `${file}.${process.pid}`;
    writeFileSync(temporary, text);
    renameSync(temporary, file);
  } catch {
    // Completion then offers what it knew.
  }
}

/** Of a directory that only uses a server nothing is made: it would look like a control plane of its own. */
function isHome(projectDirectory: string): boolean {
  return existsSync(join(projectDirectory, '.palisade'));
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  } catch {
    return [];
  }
}

import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { PalisadeError } from '@palisade/contracts';
import { Git } from './git.ts';
import { budgetOf } from './git-process.ts';

const LOOK_MS = 30_000;

/**
 * True when the git repository around a directory tracks it, or anything below it: then it came, or can
 * come, with a clone, and what it says is the word of whoever wrote the repository. Runs git only where
 * there is a repository; raises `requirements_unmet` when that cannot be told.
 */
export async function isTrackedByGit(directory: string): Promise<boolean> {
  const parent = dirname(directory);
  if (!isInRepository(parent)) return false;
  const git = Git.around(parent, { budget: budgetOf(LOOK_MS), failure: 'requirements_unmet' });
  const path = `:(literal)${basename(directory)}`;
  const found = await git.run(['ls-files', '-z', '--cached', '--', path], { accept: [0, 128] });
  if (found.code === 0) return found.stdout.length > 0;
  const inside = await git.run(['rev-parse', '--is-inside-work-tree'], { accept: [0, 128] });
  // Nothing is checked out in a git directory, nor beside a .git that is none.
  if (inside.code !== 0 || inside.stdout.toString('utf8').trim() === 'false') return false;
  throw new PalisadeError('requirements_unmet', `git cannot say whether it tracks ${directory}`, {
    why: found.stderr.trim().slice(0, 500),
  });
}

function isInRepository(directory: string): boolean {
  for (let at = directory; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return true;
    if (dirname(at) === at) return false;
  }
}

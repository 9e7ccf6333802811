import { realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import { resolveBase } from '@palisade/workspace';
import type { Layout } from './layout.ts';

/** The base of a run; what is not part of it is said. */
export async function locateBase(repository: string, revision: string | undefined) {
  const found = await resolveBase({ directory: repository, ...(revision === undefined ? {} : { revision }) });
  const warnings = [...found.missing];
  const left = [amount(found.dirty, 'uncommitted change'), amount(found.untracked, 'untracked file')].flat();
  if (left.length > 0) {
    const verb = found.dirty + found.untracked === 1 ? 'is' : 'are';
    warnings.push(
      `${left.join(' and ')} ${verb} not part of the run: it starts from ${found.commit.slice(0, 12)}`,
    );
  }
  return {
    base: {
      kind: 'git' as const,
      topLevel: found.topLevel,
      gitDir: found.gitDir,
      commit: found.commit,
      ...(found.branch === null ? {} : { branch: found.branch }),
    },
    warnings,
  };
}

function amount(n: number, noun: string): string[] {
  return n === 0 ? [] : [`${n} ${noun}${n === 1 ? '' : 's'}`];
}

/**
 * True for a repository that callers from outside may name: it, its files and its git directory lie below the root that is served, wherever
 * links and `.git` files lead, and nothing of it in the control plane's own directory, where agents write.
 */
export async function isOfferedIn({ root, home }: Layout, repository: string): Promise<boolean> {
  try {
    const asked = await realpath(repository);
    if (!(await isBelow(root, asked)) || (await isBelow(home, asked))) return false;
    const { topLevel, gitDir } = await resolveBase({ directory: asked });
    for (const path of [topLevel, gitDir])
      if (!(await isBelow(root, path)) || (await isBelow(home, path))) return false;
    return true;
  } catch {
    return false;
  }
}

/** True when a path is a directory or below it, whatever links lead there. */
async function isBelow(directory: string, path: string): Promise<boolean> {
  const [top, real] = await Promise.all([realpath(directory), realpath(path)]);
  return real === top || real.startsWith(`${top}${sep}`);
}

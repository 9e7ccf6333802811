import { realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import { resolveBase } from '@palisade/workspace';

/** The base of a run; what is not part of it is said. */
export async function locateBase(repository: string, revision: string | undefined) {
  const found = await resolveBase({ directory: repository, ...(revision === undefined ? {} : { revision }) });
  const warnings = [...found.missing];
  if (found.dirty > 0) {
    warnings.push(
      `${found.dirty} uncommitted ${found.dirty === 1 ? 'change is' : 'changes are'} not part of the run: it starts from ${found.commit.slice(0, 12)}`,
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

/** True when a path is a directory or below it, whatever links lead there; false when there is nothing at the path. */
export async function isBelow(directory: string, path: string): Promise<boolean> {
  try {
    const [top, real] = await Promise.all([realpath(directory), realpath(path)]);
    return real === top || real.startsWith(`${top}${sep}`);
  } catch {
    return false;
  }
}

import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { holdsControlPlane, isOwnHome } from '@palisade/contracts/control-plane-files';

/**
 * The nearest directory upwards with a control plane in its `.palisade/`, or undefined. One that somebody else could have put there is
 * passed by: in a directory that is shared, anybody can.
 */
export function findProject(directory: string): string | undefined {
  return upwards(directory, (at) => {
    const home = join(at, '.palisade');
    const facts = statSync(home, { throwIfNoEntry: false });
    if (facts === undefined || !isOwnHome(facts, process.getuid?.())) return false;
    try {
      return holdsControlPlane(readdirSync(home));
    } catch {
      // Whoever opens it says what is wrong with it.
      return true;
    }
  });
}

/** Where the control plane of a directory is looked for: the nearest upwards, else the directory itself. */
export function nearestProject(directory: string): string {
  return findProject(directory) ?? directory;
}

/** The top of the git working tree `directory` is in, or undefined. */
export function findWorkingTree(directory: string): string | undefined {
  return upwards(directory, (at) => existsSync(join(at, '.git')));
}

/** The bare git repository `directory` is in, or undefined. */
export function findBareRepository(directory: string): string | undefined {
  return upwards(directory, (at) => ['HEAD', 'objects', 'refs'].every((name) => existsSync(join(at, name))));
}

function upwards(directory: string, isIt: (at: string) => boolean): string | undefined {
  let at = directory;
  for (;;) {
    if (isIt(at)) return at;
    const parent = dirname(at);
    if (parent === at) return undefined;
    at = parent;
  }
}

import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { holdsControlPlane } from '@palisade/contracts/control-plane-files';

/** The nearest directory upwards with a control plane in its `.palisade/`, or undefined. */
export function findProject(directory: string): string | undefined {
  return upwards(directory, (at) => {
    const home = join(at, '.palisade');
    if (!existsSync(home)) return false;
    try {
      return holdsControlPlane(readdirSync(home));
    } catch {
      // Whoever opens it says what is wrong with it.
      return true;
    }
  });
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

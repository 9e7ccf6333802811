import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The nearest directory upwards that holds `.palisade/`, or undefined. */
export function findProject(directory: string): string | undefined {
  return upwards(directory, '.palisade');
}

/** The top of the git working tree `directory` is in, or undefined. */
export function findWorkingTree(directory: string): string | undefined {
  return upwards(directory, '.git');
}

/** The bare git repository `directory` is in, or undefined. */
export function findBareRepository(directory: string): string | undefined {
  return upwards(directory, 'HEAD', 'objects', 'refs');
}

function upwards(directory: string, ...names: readonly string[]): string | undefined {
  let at = directory;
  for (;;) {
    if (names.every((name) => existsSync(join(at, name)))) return at;
    const parent = dirname(at);
    if (parent === at) return undefined;
    at = parent;
  }
}

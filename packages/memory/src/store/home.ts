import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The name of the database in a repository's `.palisade/`. */
export const MEMORY_FILE = 'memory.db';

/**
 * Whether a directory has a `.palisade/` with something else in it than the memory of its repository: asking
 * about code makes no control plane.
 */
export function holdsMoreThanMemory(directory: string): boolean {
  const home = join(directory, '.palisade');
  if (!existsSync(home)) return false;
  try {
    const names = readdirSync(home).filter((name) => name !== '.gitignore');
    return names.length === 0 || names.some((name) => !name.startsWith(MEMORY_FILE));
  } catch {
    // What may not be looked into is somebody's.
    return true;
  }
}

import { chmodSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Removes what programs left in a directory of the sandbox's own. They may have closed some to their
 * owner, as caches of modules do, which without root is us. No symlink is followed, and nothing runs any more.
 */
export function removeOwn(directory: string): void {
  try {
    rmSync(directory, { recursive: true, force: true });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EACCES')) throw error;
    open(directory);
    rmSync(directory, { recursive: true, force: true });
  }
}

function open(directory: string): void {
  chmodSync(directory, 0o700);
  for (const entry of readdirSync(directory, { withFileTypes: true }))
    if (entry.isDirectory()) open(join(directory, entry.name));
}

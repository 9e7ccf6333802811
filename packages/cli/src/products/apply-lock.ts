import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withFileLock } from '@palisade/process';
import { hideFromGit } from '@palisade/workspace';

/**
 * Runs `body` while no other process applies or takes back anything in this project: what is proved
 * there is what is changed, and no record is lost. `lease_held` when it was not free in time.
 */
export async function withApplyLock<T>(
  projectDirectory: string,
  signal: AbortSignal,
  body: () => Promise<T>,
  patienceMs?: number,
): Promise<T> {
  const file = join(projectDirectory, '.palisade', 'applied', 'lock');
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  await hideFromGit(dirname(dirname(file)));
  const busy = 'busy: another pal apply is at work in this project';
  return withFileLock(file, { busy, signal, ...(patienceMs === undefined ? {} : { patienceMs }) }, body);
}

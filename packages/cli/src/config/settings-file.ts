import { join } from 'node:path';
import type { Invocation } from '../invocation.ts';
import { findWorkingTree } from '../project.ts';
import { UsageError } from '../tree/usage-error.ts';
import { findRepositoryFile, userFile } from './config.ts';

/** The file whose settings are changed: the repository's own, or the user's. */
export function settingsFile({ directory, env }: Invocation, ofRepository: boolean): string {
  const file = ofRepository
    ? (findRepositoryFile(directory) ?? join(findWorkingTree(directory) ?? directory, '.palisade.toml'))
    : userFile(env);
  if (file !== undefined) return file;
  throw new UsageError('there is no home directory to keep settings in', {
    why: 'HOME is not an absolute path of this system',
    next: 'set HOME or XDG_CONFIG_HOME to an absolute path',
  });
}

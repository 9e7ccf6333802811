import { chmodSync, chownSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** What a sandbox keeps on this machine, below its state directory. */
export interface OwnDirectory {
  /** Its being there says that the attempt may have containers. */
  readonly root: string;
  /** /tmp of the programs. */
  readonly tmp: string;
  /** A file that is there while a container is being asked for. */
  readonly creating: string;
}

export function ownDirectory(stateDir: string): OwnDirectory {
  const root = join(stateDir, 'docker');
  return { root, tmp: join(root, 'tmp'), creating: join(root, 'creating') };
}

/**
 * Makes it for programs of a user. What is to be seen below /tmp gets its place there first: made by the
 * engine, it would be root's, and a supervisor without root could not remove it.
 */
export function makeOwnDirectory(
  own: OwnDirectory,
  user: number | null,
  readOnlyPaths: readonly string[],
): void {
  mkdirSync(own.tmp, { recursive: true, mode: 0o700 });
  for (const path of readOnlyPaths) {
    const below = relative('/tmp', path);
    if (below === '' || below.startsWith('..') || !existsSync(path)) continue;
    const place = join(own.tmp, below);
    mkdirSync(dirname(place), { recursive: true });
    if (statSync(path).isDirectory()) mkdirSync(place, { recursive: true });
    else writeFileSync(place, '');
  }
  chmodSync(own.tmp, 0o1777);
  if (user !== null) chownSync(own.tmp, user, user);
}

import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Bind } from './system-view.ts';

/*
 * The command line in front of bubblewrap when the supervisor is root:
 *
 *   unshare (own mounts) → sh (bind hidden paths where the other user can reach them) → prlimit →
 *   setpriv (other user, no new privileges) → bwrap
 *
 * bubblewrap runs as the sandbox's user and finds its sources by path, so a workspace below a
 * directory only root may enter would be out of its reach. Such paths are first bound below a
 * directory of ours, in a mount namespace that ends with the launcher: nothing of it is ever
 * visible on the host or can be left behind.
 */

/** Where hidden paths are bound, inside the launcher's own mount namespace only. */
const VIEW = '/run/palisade/view';

// $1 is the view; then hidden paths up to `--`; then the rest of the command line.
const SCRIPT = `set -e
view=$1; shift
mount -t tmpfs -o mode=0755,nosuid,nodev,size=64k palisade "$view"
n=0
while [ "$1" != -- ]; do
  if [ -d "$1" ]; then mkdir "$view/$n"; else : > "$view/$n"; fi
  mount --bind "$1" "$view/$n"
  n=$((n+1)); shift
done
shift
exec "$@"`;

export interface Launcher {
  /** Words before `bwrap`. */
  readonly argv: readonly string[];
  /** The same binds with sources the sandbox's user can reach. */
  readonly binds: readonly Bind[];
}

/** Makes hidden sources reachable for another user. With nothing hidden it adds nothing. */
export function revealSources(binds: readonly Bind[]): Launcher {
  const hidden = [...new Set(binds.map((bind) => bind.source).filter(isHidden))];
  if (hidden.length === 0) return { argv: [], binds };
  const place = new Map(hidden.map((path, index) => [path, `${VIEW}/${index}`]));
  return {
    argv: [
      'unshare',
      '--mount',
      '--propagation',
      'private',
      '--',
      'sh',
      '-c',
      SCRIPT,
      'sh',
      VIEW,
      ...hidden,
      '--',
    ],
    binds: binds.map((bind) => ({ ...bind, source: place.get(bind.source) ?? bind.source })),
  };
}

/** The directory the view is mounted on; it must exist and everybody may enter it. */
export const VIEW_DIRECTORY = VIEW;

/** The words that make the rest run as another user who can gain nothing. */
export function asUser(uid: number): string[] {
  const id = String(uid);
  return [
    'setpriv',
    '--reuid',
    id,
    '--regid',
    id,
    '--clear-groups',
    '--inh-caps=-all',
    '--no-new-privs',
    '--',
  ];
}

/** True when some directory above `path` may not be entered by everybody. */
function isHidden(path: string): boolean {
  for (let dir = dirname(path); ; dir = dirname(dir)) {
    if ((statSync(dir).mode & 0o001) === 0) return true;
    if (dir === dirname(dir)) return false;
  }
}

import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeOpenDirectory, writeOpenFile } from './open-path.ts';
import { type Bind, isBelow } from './system-view.ts';

/*
 * The command line in front of bubblewrap when the supervisor is root:
 *
 *   unshare (own mounts) → sh (bind hidden paths where the other user can reach them) → prlimit →
 *   setpriv (other user, no new privileges) → bwrap
 *
 * bubblewrap runs as the sandbox's user and finds its sources by path, so a workspace below a
 * directory only root may enter would be out of its reach. Such paths are first bound on empty
 * places of ours, in a mount namespace that ends with the launcher: no mount is ever visible on the
 * host or can be left behind.
 */

/** Where hidden paths are bound, inside the launcher's own mount namespace only. On the host it holds empty places. */
const VIEW = '/run/palisade/view';

// Pairs of a hidden path and its place up to `--`, then the rest of the command line.
const SCRIPT = `set -e
while [ "$1" != -- ]; do mount --bind "$1" "$2"; shift 2; done
shift
exec "$@"`;

export interface Launcher {
  /** Words before `bwrap`. */
  readonly argv: readonly string[];
  /** The same binds with sources the sandbox's user can reach. */
  readonly binds: readonly Bind[];
}

/**
 * Makes hidden sources reachable for another user. With nothing hidden it adds nothing. Each mount
 * costs a process, so what lies below `root`, a directory that is not hidden in itself, is shown
 * through it.
 */
export function revealSources(binds: readonly Bind[], root: string): Launcher {
  const anchor = (source: string): string => (isBelow(source, root) ? root : source);
  const hidden = [...new Set(binds.map((bind) => anchor(bind.source)).filter(isHidden))];
  if (hidden.length === 0) return { argv: [], binds };
  const places = new Map(hidden.map((path, index) => [path, makePlace(path, index)]));
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
      ...[...places].flat(),
      '--',
    ],
    binds: binds.map((bind) => {
      const from = anchor(bind.source);
      return { ...bind, source: `${places.get(from) ?? from}${bind.source.slice(from.length)}` };
    }),
  };
}

/** An empty directory or file to bind a path of that kind on. It stays, and the next sandbox uses it again. */
function makePlace(path: string, index: number): string {
  const isDirectory = statSync(path).isDirectory();
  const place = `${VIEW}/${isDirectory ? 'd' : 'f'}${index}`;
  makeOpenDirectory(isDirectory ? place : VIEW);
  if (!isDirectory) writeOpenFile(place, '');
  return place;
}

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

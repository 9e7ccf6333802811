import { findBubblewrap } from './find-bubblewrap.ts';
import type { MountView } from './mount-view.ts';

/*
 * The command line in front of bubblewrap when the supervisor is root:
 *
 *   prlimit → setpriv (other user, no new privileges)              → bwrap
 *   prlimit → nsenter (other user, in the view of hidden paths)    → bwrap
 *
 * bubblewrap runs as the sandbox's user and finds its sources by path, so a workspace below a directory
 * only root may enter would be out of its reach; then it is started in a mount view. The launchers are one
 * after the other under one pid, whose parent is the supervisor: the kernel ends it when the supervisor
 * dies. (An outer bubblewrap that makes the mounts gives up the capability to signal another user, and
 * then nothing ends the inner one.)
 *
 * What a start of `/bin/true` costs beyond a bare spawn, milliseconds, fastest / lower quartile of 60 starts of
 * each way in turn, hidden paths, one busy machine of two cores (a bare spawn: 18.7 / 36.9):
 *   `unshare`, a shell, a `mount` for each path, prlimit, setpriv and `env` for each
 *   start; 17 binds of files in /etc; the supervisor in and out of the control group   89.9 / 186.9
 *   this, with a view that is made once, 3 binds and the small files copied, the waiting
 *   launcher moved into the control group, and PWD given instead of taken away         45.5 / 83.4
 * Each process in front costs 6 to 9 ms of CPU there, which is why there are as few as may be.
 */

/** The words that make the rest run as another user, who can gain nothing. */
export function asUser(uid: number, view: MountView | null): readonly string[] {
  const id = String(uid);
  if (view === null)
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
  // Giving up root takes every capability away, and bubblewrap itself rules new ones out; a set-user-id one needs it before.
  return [
    ...view.words(uid),
    ...(findBubblewrap()?.isSetUserId === true ? ['setpriv', '--no-new-privs', '--'] : []),
  ];
}

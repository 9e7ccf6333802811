import { createHash } from 'node:crypto';
import { hardLimit } from './process-table.ts';

/*
 * A mark that a process inherits and cannot easily lose: the resource limit RLIMIT_LOCKS, which
 * Linux has kept but ignored since 2.4.25. Set to a number made from the attempt's id, it follows
 * every descendant through new sessions, daemons and emptied environments, changes nothing for the
 * program, adds nothing to its environment, and is readable in `/proc/<pid>/limits` by everybody.
 * A hostile program can lower it; against that only a real boundary helps.
 */

const LABEL = 'Max file locks';

/** The number that marks an attempt's processes: 48 bits, so that it is never a limit anybody would set. */
export function processTag(attemptId: string): number {
  const hash = createHash('sha256').update('palisade process tag\0').update(attemptId).digest();
  return 2 ** 48 + hash.readUIntBE(0, 6);
}

/** True when this process may give `tag` to a child: a supervisor that carries a lower mark itself may not. */
export function canTag(tag: number): boolean {
  const own = hardLimit(process.pid, LABEL);
  return own === 'unlimited' || Number(own) >= tag;
}

/** True when the process or an ancestor of it was started with this mark. */
export function hasTag(pid: number, tag: number): boolean {
  return hardLimit(pid, LABEL) === String(tag);
}

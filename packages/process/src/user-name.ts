import { userInfo } from 'node:os';

/**
 * What the system calls the user of this process, in characters that an actor's name may have; `uid-N` where it knows no name for the
 * number, as in a container that runs as nobody.
 */
export function userName(): string {
  let name = '';
  try {
    name = userInfo().username;
  } catch {
    // The number is told below.
  }
  return name.replaceAll(/[^A-Za-z0-9._@-]/g, '_') || `uid-${process.getuid?.() ?? 'unknown'}`;
}

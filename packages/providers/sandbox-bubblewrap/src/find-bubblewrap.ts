import { statSync } from 'node:fs';
import { join } from 'node:path';

/** The launchers' own environment: theirs alone, nothing a program is given may reach them. */
export const LAUNCHER_ENV = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' };

/** Where bubblewrap is, and whether it would gain privileges; null when it is not installed. */
export function findBubblewrap(): { readonly isSetUserId: boolean } | null {
  for (const directory of LAUNCHER_ENV.PATH.split(':')) {
    const facts = statSync(join(directory, 'bwrap'), { throwIfNoEntry: false });
    if (facts !== undefined) return { isSetUserId: (facts.mode & 0o4000) !== 0 };
  }
  return null;
}

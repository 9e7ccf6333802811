import { existsSync } from 'node:fs';
import { PalisadeError } from '@palisade/contracts';
import { isTrackedByGit } from '@palisade/workspace';

/**
 * Refuses a control plane that a repository brings along (FF-128). It is trusted like the user's own
 * words: runs queued in its database are carried out by the next engine, with the commands, the sandbox
 * and the network they were given. Ours is never tracked; one that is may be anybody's.
 */
export async function assertOwnHome(home: string): Promise<void> {
  if (!existsSync(home) || !(await isTrackedByGit(home))) return;
  throw new PalisadeError('policy_denied', `the repository brings a control plane of its own: ${home}`, {
    why: 'git tracks files in it, and whoever wrote them could have queued commands that would run as you',
    next: 'git rm -r --cached .palisade, and remove the directory unless you made it yourself',
  });
}

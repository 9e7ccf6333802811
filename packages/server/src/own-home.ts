import { statSync } from 'node:fs';
import { PalisadeError } from '@palisade/contracts';
import { isOwnHome } from '@palisade/contracts/control-plane-files';
import { isTrackedByGit } from '@palisade/workspace';

/**
 * Refuses a control plane that another user of the machine could write, or that a repository brings along (FF-128). It is trusted like the user's own
 * words: runs queued in its database are carried out by the next engine, with the commands, the sandbox
 * and the network they were given. Ours is never tracked; one that is may be anybody's.
 */
export async function assertOwnHome(home: string): Promise<void> {
  const facts = statSync(home, { throwIfNoEntry: false });
  if (facts === undefined) return;
  const uid = process.getuid?.();
  if (!isOwnHome(facts, uid))
    throw new PalisadeError(
      'policy_denied',
      facts.uid === uid ? `others can write ${home}` : `${home} belongs to another user of this machine`,
      {
        why: 'what is queued in a control plane is carried out as whoever opens it',
        next: facts.uid === uid ? `chmod go-w ${home}, if nobody did so far` : 'run this as its owner',
      },
    );
  if (!(await isTrackedByGit(home))) return;
  throw new PalisadeError('policy_denied', `the repository brings a control plane of its own: ${home}`, {
    why: 'git tracks files in it, and whoever wrote them could have queued commands that would run as you',
    next: 'git rm -r --cached .palisade, and remove the directory unless you made it yourself',
  });
}

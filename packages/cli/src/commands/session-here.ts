import { PalisadeError } from '@palisade/contracts';
import type { Invocation } from '../invocation.ts';
import type { PendingChanges } from '../server/pending-changes.ts';
import type { SessionFile } from '../server/session-file.ts';
import { UsageError } from '../tree/usage-error.ts';

/** What is kept of a server's session, and the changes that were sent in it. */
interface SessionHere {
  readonly file: SessionFile;
  readonly changes: PendingChanges;
}

/** As the state directory here or another one holds it. Raises a UsageError where no server is set. */
export async function sessionHere(invocation: Invocation, directory?: string): Promise<SessionHere> {
  const plane = await invocation.controlPlane();
  const file = await plane.sessionFile?.(directory);
  const changes = await plane.changes?.(directory);
  if (file !== undefined && changes !== undefined) return { file, changes };
  throw new UsageError('no server is set', {
    why: 'sessions tell those apart who share a credential of a server',
    next: 'pal config set server ORIGIN',
  });
}

/** Another session may only come in the place of one that no open change belongs to. Raises `invalid_state`. */
export async function assertNothingPending(
  { interrupted }: Invocation,
  { changes }: SessionHere,
): Promise<void> {
  const pending = await changes.pending(interrupted);
  if (pending === undefined) return;
  throw new PalisadeError('invalid_state', `it is not known yet what became of ${pending.operation}`, {
    why: 'it belongs to the session that it was sent in, and to no other',
    next: 'pal retry',
  });
}

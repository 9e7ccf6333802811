import { randomBytes } from 'node:crypto';
import type { WriteTx } from '@palisade/kernel';
import { record } from '../audit/record.ts';
import { PasswordHasher } from '../passwords/password-hasher.ts';
import { HOST } from './host-accounts.ts';

/** Why an installation goes on from a snapshot, and from which. */
export interface Restoration {
  /** 1 to 500 characters; kept in the audit record. */
  readonly reason: string;
  readonly snapshotId: string;
  /** Protected ms. */
  readonly snapshotAt: number;
}

/** Of how many it was ended. */
export interface EndedAccess {
  readonly credentials: number;
  readonly people: number;
}

/** The hash of a password that nobody knows; for {@link endAllAccess}, whose unit of work may not wait for it. */
export function unknownPassword(): Promise<string> {
  return new PasswordHasher().hash(randomBytes(32).toString('base64url'));
}

/**
 * Ends everybody's access to an installation that was restored from a snapshot, and records it (AC-277, AO-196): what was revoked after the
 * snapshot must not be good again. Tokens are revoked, sessions ended, mailed links and passkeys forgotten, people disabled and their
 * passwords replaced, until an administrator is recovered on the host.
 */
export async function endAllAccess(
  tx: WriteTx,
  { reason, snapshotId, snapshotAt }: Restoration,
  unknownHash: string,
): Promise<EndedAccess> {
  const { sql, now } = tx;
  await sql.run('UPDATE harness_sessions SET closed_at = ? WHERE closed_at IS NULL', [now]);
  await sql.run('UPDATE browser_sessions SET revoked_at = ? WHERE revoked_at IS NULL', [now]);
  const credentials = await sql.run('UPDATE credentials SET revoked_at = ? WHERE revoked_at IS NULL', [now]);
  for (const table of ['mail_links', 'passkey_challenges', 'passkeys']) await sql.run(`DELETE FROM ${table}`);
  await sql.run('UPDATE passwords SET hash = ?, changed_at = ?', [unknownHash, now]);
  const people = await sql.run(
    "UPDATE principals SET disabled_at = COALESCE(disabled_at, ?), revision = revision + 1 WHERE kind = 'human'",
    [now],
  );
  await record(tx, HOST, null, 'installation.restored', {
    target: snapshotId,
    outcome: 'done',
    initiator_kind: 'host_operator',
    reason,
    snapshot_at: snapshotAt,
  });
  return { credentials, people };
}

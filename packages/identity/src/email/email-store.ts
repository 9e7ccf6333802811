import type { EmailView } from '@palisade/contracts';
import type { ReadTx, SqlRow, WriteTx } from '@palisade/kernel';

/** The address of a person. */
export interface Email {
  readonly principal: string;
  readonly address: string;
  readonly verifiedAt: number | null;
  readonly sentAt: number | null;
  readonly sendError: EmailView['send_error'] | null;
}

const COLUMNS = 'principal, address, verified_at, sent_at, send_error';

export async function emailOf(tx: ReadTx, principal: string): Promise<Email | undefined> {
  const row = await tx.sql.get(`SELECT ${COLUMNS} FROM emails WHERE principal = ?`, [principal]);
  return row === undefined ? undefined : read(row);
}

/** Whose verified address it is, in whatever case; at most as many as one message lists. */
export async function verifiedOwners(tx: ReadTx, address: string): Promise<Email[]> {
  const rows = await tx.sql.all(
    `SELECT ${COLUMNS} FROM emails WHERE address_key = ? AND verified_at IS NOT NULL ORDER BY principal LIMIT 20`,
    [address.toLowerCase()],
  );
  return rows.map(read);
}

/** Sets an address that is not verified, and forgets what was known of the one before. */
export async function putEmail(tx: WriteTx, principal: string, address: string): Promise<void> {
  await tx.sql.run(
    `INSERT INTO emails (principal, address, address_key, verified_at, sent_at, send_error) VALUES (?, ?, ?, NULL, NULL, NULL)
     ON CONFLICT (principal) DO UPDATE SET address = excluded.address, address_key = excluded.address_key,
       verified_at = NULL, sent_at = NULL, send_error = NULL`,
    [principal, address, address.toLowerCase()],
  );
}

export async function markVerified(tx: WriteTx, principal: string): Promise<void> {
  await tx.sql.run('UPDATE emails SET verified_at = ? WHERE principal = ?', [tx.now, principal]);
}

/** Records how a message went; `error` is null when it was handed over. */
export async function markSent(
  tx: WriteTx,
  { principal, address }: Pick<Email, 'principal' | 'address'>,
  error: Email['sendError'],
): Promise<void> {
  await tx.sql.run('UPDATE emails SET sent_at = ?, send_error = ? WHERE principal = ? AND address = ?', [
    error === null ? tx.now : null,
    error ?? null,
    principal,
    address,
  ]);
}

function read(row: SqlRow): Email {
  const time = (column: string): number | null => (row[column] === null ? null : Number(row[column]));
  const error = row['send_error'];
  return {
    principal: String(row['principal']),
    address: String(row['address']),
    verifiedAt: time('verified_at'),
    sentAt: time('sent_at'),
    sendError: error === 'mail_not_configured' || error === 'send_failed' ? error : null,
  };
}

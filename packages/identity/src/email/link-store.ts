import { randomBytes } from 'node:crypto';
import type { ReadTx, SqlRow, WriteTx } from '@palisade/kernel';
import { tokenHash } from '../credentials/token.ts';

/** What a mailed link is good for, and how long (AC-044, AC-045). */
export const LINK_MS = { verify: 24 * 3_600_000, reset: 3_600_000 } as const;
export type LinkPurpose = keyof typeof LINK_MS;

export interface MailLink {
  readonly principal: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** A new link's token, 256 random bits; only its hash is kept, and an earlier link of the purpose ends. */
export async function issueLink(
  tx: WriteTx,
  principal: string,
  purpose: LinkPurpose,
  token: string,
): Promise<void> {
  await tx.sql.run(
    `INSERT INTO mail_links (token_hash, principal, purpose, created_at, expires_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (principal, purpose) DO UPDATE SET token_hash = excluded.token_hash, created_at = excluded.created_at,
       expires_at = excluded.expires_at`,
    [tokenHash(token), principal, purpose, tx.now, tx.now + LINK_MS[purpose]],
  );
}

export function newLinkToken(): string {
  return randomBytes(32).toString('base64url');
}

/** The link of a person, used or not yet; undefined when it ended. */
export async function linkOf(
  tx: ReadTx,
  principal: string,
  purpose: LinkPurpose,
): Promise<MailLink | undefined> {
  const row = await tx.sql.get('SELECT * FROM mail_links WHERE principal = ? AND purpose = ?', [
    principal,
    purpose,
  ]);
  return row === undefined ? undefined : linkFrom(row);
}

export async function linkByToken(
  tx: ReadTx,
  token: string,
  purpose: LinkPurpose,
): Promise<MailLink | undefined> {
  const row = await tx.sql.get('SELECT * FROM mail_links WHERE token_hash = ? AND purpose = ?', [
    tokenHash(token),
    purpose,
  ]);
  return row === undefined ? undefined : linkFrom(row);
}

/** Ends the link of a purpose. */
export async function voidLink(tx: WriteTx, principal: string, purpose: LinkPurpose): Promise<void> {
  await tx.sql.run('DELETE FROM mail_links WHERE principal = ? AND purpose = ?', [principal, purpose]);
}

function linkFrom(row: SqlRow): MailLink {
  return {
    principal: String(row['principal']),
    createdAt: Number(row['created_at']),
    expiresAt: Number(row['expires_at']),
  };
}

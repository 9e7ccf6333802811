import type { AccountView, EmailView } from '@palisade/contracts';
import type { Database, ReadTx } from '@palisade/kernel';
import { type Principal, principalView } from '../principals/principal.ts';
import { type Email, emailOf, markSent } from './email-store.ts';
import { linkOf } from './link-store.ts';
import type { Mailer } from './mailer.ts';
import { verificationMail } from './messages.ts';

/** How long another link is not sent, ms (AC-044, AC-045). */
export const PAUSE_MS = 60_000;

export interface EmailDeps {
  readonly database: Database;
  /** Null where no relay, or no public origin, is configured: then nothing is sent, and that is recorded. */
  readonly mail: { readonly mailer: Mailer; readonly origin: string } | null;
}

/** Sends the link that verifies an address, after the commit that kept it, and records how that went (AC-046). */
export async function sendVerification(
  { database, mail }: EmailDeps,
  { id, name }: Pick<Principal, 'id' | 'name'>,
  address: string,
  token: string,
): Promise<void> {
  let error: Email['sendError'] = null;
  if (mail === null) error = 'mail_not_configured';
  else {
    const url = `${mail.origin}/v1/auth/email/verify?token=${token}`;
    error = await mail.mailer.send(verificationMail(address, { account: name, url })).then(
      () => null,
      () => 'send_failed' as const,
    );
  }
  await database.write((tx) => markSent(tx, { principal: id, address }, error));
}

export async function emailView(
  { mail }: Pick<EmailDeps, 'mail'>,
  tx: ReadTx,
  principal: string,
): Promise<EmailView> {
  const email = await emailOf(tx, principal);
  const configured = { mail_configured: mail !== null };
  if (email === undefined) return { status: 'missing', ...configured };
  const { address, verifiedAt, sentAt, sendError } = email;
  const link = verifiedAt === null ? await linkOf(tx, principal, 'verify') : undefined;
  return {
    email: address,
    status: verifiedAt === null ? 'unverified' : 'verified',
    ...(verifiedAt === null ? {} : { verified_at: verifiedAt }),
    ...(sentAt === null ? {} : { sent_at: sentAt }),
    ...(sendError === null || sendError === undefined ? {} : { send_error: sendError }),
    ...(link === undefined
      ? {}
      : { link_expires_at: link.expiresAt, resend_available_at: link.createdAt + PAUSE_MS }),
    ...configured,
  };
}

/** An account with what is known of its address, which people alone have (AC-039). */
export async function accountView(
  deps: Pick<EmailDeps, 'mail'>,
  tx: ReadTx,
  principal: Principal,
): Promise<AccountView> {
  const account = principalView(principal);
  if (principal.kind !== 'human') return account;
  const { email, verified_at, mail_configured, ...email_verification } = await emailView(
    deps,
    tx,
    principal.id,
  );
  return {
    ...account,
    ...(email === undefined ? {} : { email }),
    email_verified: verified_at !== undefined,
    ...(verified_at === undefined ? {} : { email_verified_at: verified_at }),
    email_verification,
    mail_configured,
  };
}

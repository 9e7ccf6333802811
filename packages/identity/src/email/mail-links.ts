import { EmailAddress, hostCaller, NewPassword, PalisadeError, parseInput } from '@palisade/contracts';
import type { WriteTx } from '@palisade/kernel';
import * as z from 'zod';
import { record } from '../audit/record.ts';
import { revokeSessionsOf } from '../browser/browser-session-store.ts';
import type { PasswordHasher } from '../passwords/password-hasher.ts';
import { putPassword } from '../passwords/password-store.ts';
import type { Throttle } from '../passwords/throttle.ts';
import { actorOf, type Principal } from '../principals/principal.ts';
import { findPrincipal, updateAccess } from '../principals/principal-store.ts';
import { emailOf, markVerified, verifiedOwners } from './email-store.ts';
import { issueLink, linkByToken, linkOf, type LinkPurpose, newLinkToken, voidLink } from './link-store.ts';
import { type NamedLink, resetMail } from './messages.ts';
import { type EmailDeps, PAUSE_MS } from './verification.ts';

export interface MailLinkDeps extends EmailDeps {
  readonly hasher: PasswordHasher;
  /** Of addresses that are written to. */
  readonly addresses: Throttle;
  /** Of links that are not good: each is refused after one look-up. */
  readonly unknownLinks: Throttle;
}

/** Whoever has a link that was mailed to a person acts as that person, without a credential. */
const by = (person: Principal) => ({
  actor: actorOf(person),
  caller: { ...hostCaller(actorOf(person)), principal: person.id },
});

/** Verifies the address whose link was followed (AC-044): true once, false for a link that was used, replaced, has expired or never was. */
export async function verifyEmail(deps: MailLinkDeps, token: string): Promise<boolean> {
  if (!(await isKnown(deps, token, 'verify'))) return false;
  return deps.database.write(async (tx) => {
    const link = await linkByToken(tx, token, 'verify');
    const person = link === undefined ? undefined : await findPrincipal(tx, link.principal);
    if (link === undefined || person === undefined || tx.now >= link.expiresAt) return false;
    await voidLink(tx, person.id, 'verify');
    await markVerified(tx, person.id);
    await record(tx, by(person), null, 'operator.email_verified', { target: person.id, outcome: 'done' });
    return true;
  });
}

/** Whether there is such a link, without a unit of work that writes: of those that are not good anybody can send many. Raises `rate_limited`. */
async function isKnown(
  { database, unknownLinks }: MailLinkDeps,
  token: string,
  purpose: LinkPurpose,
): Promise<boolean> {
  if ((await database.read((tx) => linkByToken(tx, token, purpose))) !== undefined) return true;
  unknownLinks.admit('');
  return false;
}

const Forgotten = z.strictObject({ email: EmailAddress });

/**
 * Has links for new passwords sent to an address (AC-045): one message with a link for each enabled person whose verified address it is.
 * The answer waits for nothing, so it tells nobody whether there is one; `sent` settles when the message was handed over or not. Raises
 * `invalid_input` and, for an address asked for too often, `rate_limited`.
 */
export function forgotPassword(
  deps: MailLinkDeps,
  input: { readonly email: string },
): { readonly requested: true; readonly sent: Promise<void> } {
  const { email } = parseInput(Forgotten, input, 'the forgotten password');
  deps.addresses.admit(email.toLowerCase());
  // Whoever asked is not told how it went, as nobody who has no account would be.
  return { requested: true, sent: mailResets(deps, email).catch(() => undefined) };
}

async function mailResets({ database, mail }: MailLinkDeps, email: string): Promise<void> {
  if (mail === null) return;
  const { to, links } = await database.write(async (tx) => {
    const made: NamedLink[] = [];
    const owners = await verifiedOwners(tx, email);
    for (const { principal } of owners) {
      const person = await findPrincipal(tx, principal);
      const last = await linkOf(tx, principal, 'reset');
      if (person?.disabledAt !== null || (last !== undefined && tx.now < last.createdAt + PAUSE_MS)) continue;
      const token = newLinkToken();
      await issueLink(tx, principal, 'reset', token);
      made.push({ account: person.name, url: `${mail.origin}/v1/auth/password/reset?token=${token}` });
    }
    return { to: owners[0]?.address, links: made };
  });
  if (to !== undefined && links.length > 0) await mail.mailer.send(resetMail(to, links));
}

const Reset = z
  .strictObject({ token: z.string().max(100), password: NewPassword, confirmation: z.string().max(1_024) })
  .refine(({ password, confirmation }) => password === confirmation, {
    path: ['confirmation'],
    message: 'is not the same as the password',
  });

/** What the form of a mailed link sends. */
export interface PasswordReset {
  readonly token: string;
  readonly password: string;
  readonly confirmation: string;
}

/**
 * Sets the password of whoever has a mailed link (AC-045), and ends their sessions and the link. A password that is refused keeps the
 * link good. Raises `invalid_input`, and `authentication_required` for a link that is not good.
 */
export async function resetPassword(deps: MailLinkDeps, input: PasswordReset): Promise<void> {
  const { database, hasher } = deps;
  const { token, password } = parseInput(Reset, input, 'the new password');
  if (!(await isKnown(deps, token, 'reset'))) throw notGood();
  await database.write((tx) => ownerOfLink(tx, token));
  const hash = await hasher.hash(password);
  await database.write(async (tx) => {
    const person = await ownerOfLink(tx, token);
    await putPassword(tx, person.id, hash);
    await updateAccess(tx, person, { role: person.role, enabled: true });
    await revokeSessionsOf(tx, person.id);
    await voidLink(tx, person.id, 'reset');
    await record(tx, by(person), null, 'operator.password_reset', { target: person.id, outcome: 'done' });
  });
}

async function ownerOfLink(tx: WriteTx, token: string): Promise<Principal> {
  const link = await linkByToken(tx, token, 'reset');
  const person = link === undefined ? undefined : await findPrincipal(tx, link.principal);
  const isVerified = person !== undefined && ((await emailOf(tx, person.id))?.verifiedAt ?? null) !== null;
  if (link !== undefined && person?.disabledAt === null && isVerified && tx.now < link.expiresAt)
    return person;
  throw notGood();
}

function notGood(): PalisadeError {
  return new PalisadeError('authentication_required', 'the link is not good any more', {
    why: 'it was used or replaced, or an hour has passed',
    next: 'ask for another link',
  });
}

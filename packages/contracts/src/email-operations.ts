import * as z from 'zod';
import { PrincipalView } from './identity-operations.ts';
import { operation } from './operation.ts';
import { Millis } from './schema.ts';

/** An address to write to. Never a name to sign in with (AC-044). */
export const EmailAddress = z.email().max(254);

const verification = {
  status: z.enum(['missing', 'unverified', 'verified']),
  /** Of the last message with a link that verifies it. */
  sent_at: Millis.optional(),
  send_error: z.enum(['mail_not_configured', 'send_failed']).optional(),
  link_expires_at: Millis.optional(),
  /** From when on another link may be asked for. */
  resend_available_at: Millis.optional(),
};

/** The address of an account and what is known of it (AC-039). */
export const EmailView = z.strictObject({
  email: z.string().optional(),
  verified_at: Millis.optional(),
  ...verification,
  mail_configured: z.boolean(),
});
export type EmailView = z.infer<typeof EmailView>;

/** An account, with the address of a person; nobody else has one (AC-039, AO-157). */
export const AccountView = z.strictObject({
  ...PrincipalView.shape,
  email: z.string().optional(),
  email_verified: z.boolean().optional(),
  email_verified_at: Millis.optional(),
  email_verification: z.strictObject(verification).optional(),
  mail_configured: z.boolean().optional(),
});
export type AccountView = z.infer<typeof AccountView>;

export const getEmail = operation({
  id: 'account.email',
  method: 'GET',
  path: '/v1/auth/email',
  summary: 'Your address, and whether it is verified',
  effect: 'read',
  access: 'read',
  input: z.strictObject({}),
  output: EmailView,
  errors: ['operation_not_permitted'],
});

export const setEmail = operation({
  id: 'account.set_email',
  method: 'POST',
  path: '/v1/auth/email',
  summary:
    'Set your address, unverified, and have a link sent to it; asks for a sign-in of the last ten minutes',
  effect: 'mutation',
  access: 'write',
  input: z.strictObject({ expected_revision: z.int().positive(), email: EmailAddress }),
  output: EmailView,
  errors: [
    'operation_not_permitted',
    'reauthentication_required',
    'stale_revision',
    'rate_limited',
    'invalid_state',
  ],
});

export const resendEmail = operation({
  id: 'account.resend_email',
  method: 'POST',
  path: '/v1/auth/email/resend',
  summary: 'Have another link sent that verifies your address; earlier ones end',
  effect: 'mutation',
  access: 'write',
  input: z.strictObject({}),
  output: EmailView,
  errors: ['operation_not_permitted', 'rate_limited', 'invalid_state'],
});

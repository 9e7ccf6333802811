import * as z from 'zod';
import { GivenPassword } from './account-operations.ts';
import { PasskeyChallengeId } from './credential.ts';
import { EmailAddress } from './email-operations.ts';
import { PrincipalView } from './identity-operations.ts';
import { operation } from './operation.ts';
import { PasskeyAssertion } from './passkey-operations.ts';
import { Json } from './schema.ts';

/* Bodies are short: anybody may send them. */

/** Who is signed in. `csrf_token` goes into `X-CSRF-Token` of every change (AC-038). */
export const SignedInView = z.strictObject({ actor: PrincipalView, csrf_token: z.string() });
export type SignedInView = z.infer<typeof SignedInView>;

export const login = operation({
  id: 'auth.login',
  method: 'POST',
  path: '/v1/auth/login',
  summary: 'Sign in with a password, in a browser; ends the session that it had',
  effect: 'mutation',
  access: 'anonymous',
  input: z.strictObject({ username: z.string().max(200), password: GivenPassword }),
  output: SignedInView,
  bodyBytes: 16 * 1024,
  errors: ['authentication_required', 'operation_not_permitted', 'rate_limited'],
});

export const passkeyLoginOptions = operation({
  id: 'auth.passkey_login_options',
  method: 'POST',
  path: '/v1/auth/passkey-login/options',
  summary: 'What a browser needs to sign in with a passkey; good for five minutes and one try',
  effect: 'mutation',
  access: 'anonymous',
  input: z.strictObject({}),
  /** `options` is WebAuthn's `PublicKeyCredentialRequestOptionsJSON`; it names no passkey. */
  output: z.strictObject({ challenge_id: PasskeyChallengeId, options: Json }),
  bodyBytes: 1024,
  errors: ['operation_not_permitted', 'rate_limited', 'requirements_unmet'],
});

export const passkeyLogin = operation({
  id: 'auth.passkey_login',
  method: 'POST',
  path: '/v1/auth/passkey-login',
  summary: 'Sign in with a passkey, in a browser; ends the session that it had',
  effect: 'mutation',
  access: 'anonymous',
  input: z.strictObject({ challenge_id: PasskeyChallengeId, credential: PasskeyAssertion }),
  output: SignedInView,
  bodyBytes: 128 * 1024,
  errors: ['authentication_required', 'operation_not_permitted', 'requirements_unmet'],
});

export const forgotPassword = operation({
  id: 'auth.password_forgot',
  method: 'POST',
  path: '/v1/auth/password/forgot',
  summary: 'Have links for new passwords sent to an address; it is never told whether somebody has it',
  effect: 'mutation',
  access: 'anonymous',
  input: z.strictObject({ email: EmailAddress }),
  output: z.strictObject({ requested: z.literal(true) }),
  bodyBytes: 4 * 1024,
  errors: ['operation_not_permitted', 'rate_limited'],
});

export const me = operation({
  id: 'auth.me',
  method: 'GET',
  path: '/v1/auth/me',
  summary: 'Who is signed in, and the CSRF token of this session',
  effect: 'read',
  access: 'read',
  input: z.strictObject({}),
  output: SignedInView,
  errors: ['operation_not_permitted'],
});

export const logout = operation({
  id: 'auth.logout',
  method: 'POST',
  path: '/v1/auth/logout',
  summary: 'End the session of this browser',
  effect: 'mutation',
  access: 'write',
  input: z.strictObject({}),
  output: z.strictObject({ signed_out: z.literal(true) }),
  errors: ['operation_not_permitted'],
});

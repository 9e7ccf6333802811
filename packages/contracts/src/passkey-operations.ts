import * as z from 'zod';
import { PasskeyChallengeId, PasskeyId } from './credential.ts';
import { operation } from './operation.ts';
import { Json, Millis } from './schema.ts';

const Base64Url = z
  .string()
  .min(1)
  .max(16_384)
  .regex(/^[A-Za-z0-9_-]+$/, 'must be base64url');

/** What an authenticator made (WebAuthn `RegistrationResponseJSON`); what else a browser says in it is not looked at. */
export const NewPasskeyCredential = z.object({
  id: Base64Url.max(1_400),
  response: z.object({ clientDataJSON: Base64Url, attestationObject: Base64Url }),
});
export type NewPasskeyCredential = z.infer<typeof NewPasskeyCredential>;

/** What an authenticator signed (WebAuthn `AuthenticationResponseJSON`). */
export const PasskeyAssertion = z.object({
  id: Base64Url.max(1_400),
  response: z.object({
    clientDataJSON: Base64Url,
    authenticatorData: Base64Url,
    signature: Base64Url,
    userHandle: Base64Url.nullable().optional(),
  }),
});
export type PasskeyAssertion = z.infer<typeof PasskeyAssertion>;

/** A passkey as it is shown: without its public key. */
export const PasskeyView = z.strictObject({
  id: PasskeyId,
  name: z.string(),
  created_at: Millis,
  last_used_at: Millis.optional(),
});
export type PasskeyView = z.infer<typeof PasskeyView>;

export const passkeyOptions = operation({
  id: 'passkeys.options',
  method: 'POST',
  path: '/v1/auth/passkeys/options',
  summary:
    'What a browser needs to make a passkey for you; good for five minutes and one try; asks for a sign-in of the last ten minutes',
  effect: 'mutation',
  access: 'write',
  input: z.strictObject({}),
  /** `options` is WebAuthn's `PublicKeyCredentialCreationOptionsJSON`. */
  output: z.strictObject({ challenge_id: PasskeyChallengeId, options: Json }),
  errors: ['operation_not_permitted', 'reauthentication_required', 'requirements_unmet', 'invalid_state'],
});

export const registerPasskey = operation({
  id: 'passkeys.register',
  method: 'POST',
  path: '/v1/auth/passkeys',
  summary: 'Keep a passkey that your browser made',
  effect: 'mutation',
  access: 'write',
  input: z.strictObject({
    challenge_id: PasskeyChallengeId,
    name: z.string().trim().min(1).max(100).optional(),
    credential: NewPasskeyCredential,
  }),
  output: PasskeyView,
  errors: [
    'authentication_required',
    'operation_not_permitted',
    'reauthentication_required',
    'requirements_unmet',
    'invalid_state',
    'already_exists',
  ],
});

export const listPasskeys = operation({
  id: 'passkeys.list',
  method: 'GET',
  path: '/v1/auth/passkeys',
  summary: 'Your passkeys',
  effect: 'read',
  access: 'read',
  input: z.strictObject({}),
  output: z.strictObject({ data: z.array(PasskeyView) }),
  errors: [],
});

export const removePasskey = operation({
  id: 'passkeys.remove',
  method: 'DELETE',
  path: '/v1/auth/passkeys/{passkey}',
  summary:
    'Forget one of your passkeys; sessions that it began go on; asks for a sign-in of the last ten minutes',
  effect: 'mutation',
  access: 'write',
  input: z.strictObject({ passkey: PasskeyId, dry_run: z.boolean().optional() }),
  output: PasskeyView,
  errors: ['not_found', 'operation_not_permitted', 'reauthentication_required'],
});

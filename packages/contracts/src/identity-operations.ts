import * as z from 'zod';
import { Scope } from './caller.ts';
import { CredentialClass, CredentialId, HumanRole, PrincipalId, PrincipalKind } from './credential.ts';
import { operation } from './operation.ts';
import { page } from './page.ts';
import { Millis, Name } from './schema.ts';

/** Whoever may use the control plane (AC-033). Its id and name are for ever: it can be disabled, never removed. */
export const PrincipalView = z.strictObject({
  id: PrincipalId,
  name: Name,
  kind: PrincipalKind,
  /** Of a person. */
  role: HumanRole.optional(),
  enabled: z.boolean(),
  disabled_at: Millis.optional(),
  revision: z.int().positive(),
  created_at: Millis,
});
export type PrincipalView = z.infer<typeof PrincipalView>;

/** A credential as it is shown: never its token, nor anything that tells of it (AC-050). */
export const CredentialView = z.strictObject({
  id: CredentialId,
  principal: PrincipalId,
  principal_name: Name,
  name: Name,
  class: CredentialClass,
  scopes: z.array(Scope),
  /** The only project it may see; null: every one. */
  only_project: Name.nullable(),
  created_at: Millis,
  expires_at: Millis.optional(),
  revoked_at: Millis.optional(),
  hidden: z.boolean(),
  /** About when it was last presented, to the minute. */
  last_used_at: Millis.optional(),
});
export type CredentialView = z.infer<typeof CredentialView>;

/** Ten years. */
const MAX_LIFE_MS = 3_653 * 86_400_000;

/** What is said of a new credential. */
const asked = {
  class: CredentialClass.optional(),
  scopes: z.array(Scope).min(1).max(8).optional(),
  /** The only project it may see; null: every one. */
  only_project: Name.nullable().optional(),
  /** After how long it is refused; null: never. A time that does not change when the call is repeated. */
  expires_in_ms: z.int().min(1).max(MAX_LIFE_MS).nullable().optional(),
  /** Answers what would be issued, and issues nothing. */
  dry_run: z.boolean().optional(),
};

/** A credential that was issued. Its token is told once: a repeated call says that it cannot be told again, and what to do (AC-030). */
const issued = {
  principal: PrincipalView,
  credential: CredentialView,
  token: z.string().optional(),
  secret_unavailable: z.literal(true).optional(),
  next: z.string().optional(),
};
export const IssuedCredential = z.strictObject(issued);
export type IssuedCredential = z.infer<typeof IssuedCredential>;

const pageOf = <T extends z.ZodType>(item: T) =>
  z.strictObject({ data: z.array(item), has_more: z.boolean(), next_cursor: z.string().optional() });

export const createPrincipal = operation({
  id: 'principals.create',
  method: 'POST',
  path: '/v1/admin/principals',
  summary: 'Create an agent or a service with its first credential',
  effect: 'privileged',
  access: 'system',
  input: z.strictObject({
    name: Name,
    kind: z.enum(['agent', 'service']),
    /** Name of the credential. */
    credential: Name.optional(),
    ...asked,
  }),
  output: IssuedCredential,
  errors: ['already_exists', 'operation_not_permitted'],
});

export const listPrincipals = operation({
  id: 'principals.list',
  method: 'GET',
  path: '/v1/admin/principals',
  summary: 'People, agents and services, in the order they came',
  effect: 'read',
  access: 'system',
  input: z.strictObject({ kind: PrincipalKind.optional(), ...page }),
  output: pageOf(PrincipalView),
  errors: [],
});

export const setPrincipalAccess = operation({
  id: 'principals.access',
  method: 'POST',
  path: '/v1/admin/principals/{principal}/access',
  summary: 'Disable an agent or a service with all its credentials, or enable it again',
  effect: 'privileged',
  access: 'system',
  input: z.strictObject({
    principal: PrincipalId,
    expected_revision: z.int().positive(),
    enabled: z.boolean(),
    dry_run: z.boolean().optional(),
  }),
  output: PrincipalView,
  errors: ['not_found', 'stale_revision', 'invalid_state'],
});

export const issueCredential = operation({
  id: 'credentials.issue',
  method: 'POST',
  path: '/v1/admin/principals/{principal}/credentials',
  summary: 'Issue another credential to an agent or a service; what is left out is as in its newest one',
  effect: 'privileged',
  access: 'system',
  input: z.strictObject({ principal: PrincipalId, name: Name, ...asked }),
  output: IssuedCredential,
  errors: ['not_found', 'invalid_state', 'operation_not_permitted'],
});

export const rotateCredential = operation({
  id: 'credentials.rotate',
  method: 'POST',
  path: '/v1/admin/credentials/{credential}/rotate',
  summary: 'Put a new credential with the same rights in the place of one',
  effect: 'privileged',
  access: 'system',
  input: z.strictObject({
    credential: CredentialId,
    name: Name,
    /** True unless said otherwise. */
    revoke_old: z.boolean().optional(),
    /** Left out, it lives as long as the old one was to live. */
    expires_in_ms: asked.expires_in_ms,
    dry_run: asked.dry_run,
  }),
  output: z.strictObject({
    ...issued,
    replaced_credential_id: CredentialId,
    replaced_credential_revoked: z.boolean(),
  }),
  errors: ['not_found', 'invalid_state', 'operation_not_permitted'],
});

const one = z.strictObject({ credential: CredentialId, dry_run: z.boolean().optional() });

export const revokeCredential = operation({
  id: 'credentials.revoke',
  method: 'POST',
  path: '/v1/admin/credentials/{credential}/revoke',
  summary: 'Refuse a credential from the next call on',
  effect: 'privileged',
  access: 'system',
  input: one,
  output: CredentialView,
  errors: ['not_found'],
});

export const hideCredential = operation({
  id: 'credentials.hide',
  method: 'DELETE',
  path: '/v1/admin/credentials/{credential}',
  summary: 'Leave a revoked credential out of lists; what is known of it stays',
  effect: 'privileged',
  access: 'system',
  input: one,
  output: CredentialView,
  errors: ['not_found', 'credential_not_revoked'],
});

export const listCredentials = operation({
  id: 'credentials.list',
  method: 'GET',
  path: '/v1/admin/credentials',
  summary: 'Credentials in the order they were issued, without tokens',
  effect: 'read',
  access: 'system',
  input: z.strictObject({
    principal: PrincipalId.optional(),
    /** Also those that were hidden. */
    hidden: z.boolean().optional(),
    ...page,
  }),
  output: pageOf(CredentialView),
  errors: [],
});

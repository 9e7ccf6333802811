import {
  type Caller,
  type CredentialClass,
  type CredentialView,
  PalisadeError,
  SCOPES,
  type Scope,
} from '@palisade/contracts';
import { type Principal, scopesOf } from '../principals/principal.ts';

/** One way of a principal to authenticate (AC-050). The token itself is nowhere. */
export interface Credential {
  readonly id: string;
  readonly principal: string;
  readonly name: string;
  readonly class: CredentialClass;
  readonly scopes: readonly Scope[];
  /** The only project it may see; null: every one. */
  readonly project: string | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly hidden: boolean;
  readonly lastUsedAt: number | null;
}

/** What a new credential is to be; what is undefined is as in `before`, the newest one (AC-053). */
export interface Asked {
  readonly class?: CredentialClass | undefined;
  readonly scopes?: readonly Scope[] | undefined;
  readonly only_project?: string | null | undefined;
}

/** The rights of a new credential. Without a former one it is interactive, reads and writes, and sees every project. */
export function rightsOf(
  asked: Asked,
  before?: Credential,
): Pick<Credential, 'class' | 'scopes' | 'project'> {
  const scopes = new Set(asked.scopes ?? before?.scopes ?? ['read', 'write']);
  return {
    class: asked.class ?? before?.class ?? 'interactive',
    scopes: SCOPES.filter((scope) => scopes.has(scope)),
    project: asked.only_project === undefined ? (before?.project ?? null) : asked.only_project,
  };
}

/**
 * Refuses rights that the principal may not hold, or its issuer does not: a credential grants what its issuer could do, and no more
 * (EX-198). Raises `invalid_input` and `operation_not_permitted`.
 */
export function assertGrantable(
  issuer: Caller,
  principal: Pick<Principal, 'kind' | 'role'>,
  { scopes, project }: Pick<Credential, 'scopes' | 'project'>,
): void {
  const most = scopesOf(principal);
  const beyond = scopes.filter((scope) => !most.includes(scope));
  if (beyond.length > 0)
    throw new PalisadeError('invalid_input', `no ${principal.kind} may hold ${beyond.join(', ')}`, {
      next: `choose among ${most.join(', ')}`,
    });
  if (project !== null && scopes.includes('system'))
    throw new PalisadeError('invalid_input', 'a credential of one project cannot rule the installation', {
      next: 'leave out the project, or the scope system',
    });
  const lacking = scopes.filter((scope) => !issuer.scopes.has(scope));
  if (lacking.length === 0 && (issuer.project === null || issuer.project === project)) return;
  const missing = lacking.length > 0 ? lacking.join(', ') : 'other projects';
  throw new PalisadeError('operation_not_permitted', `nobody grants what they do not hold: ${missing}`, {
    why: `the credential of ${issuer.actor} has ${[...issuer.scopes].join(', ')}`,
    next: 'leave it out, or ask an administrator',
  });
}

/** True while it is neither revoked nor expired; `now == expires_at` is expired. */
export function isLive(
  { revokedAt, expiresAt }: Pick<Credential, 'revokedAt' | 'expiresAt'>,
  now: number,
): boolean {
  return revokedAt === null && (expiresAt === null || now < expiresAt);
}

export function credentialView(credential: Credential, { name }: Pick<Principal, 'name'>): CredentialView {
  const { expiresAt, revokedAt, lastUsedAt } = credential;
  return {
    id: credential.id,
    principal: credential.principal,
    principal_name: name,
    name: credential.name,
    class: credential.class,
    scopes: [...credential.scopes],
    only_project: credential.project,
    created_at: credential.createdAt,
    ...(expiresAt === null ? {} : { expires_at: expiresAt }),
    ...(revokedAt === null ? {} : { revoked_at: revokedAt }),
    hidden: credential.hidden,
    ...(lastUsedAt === null ? {} : { last_used_at: lastUsedAt }),
  };
}

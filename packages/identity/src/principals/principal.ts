import {
  type Caller,
  type HumanRole,
  PalisadeError,
  type PrincipalKind,
  type PrincipalView,
  SCOPES,
  type Scope,
} from '@palisade/contracts';

/** Whoever may use the control plane (AC-033). */
export interface Principal {
  readonly id: string;
  readonly name: string;
  readonly kind: PrincipalKind;
  /** Of a person. */
  readonly role: HumanRole | null;
  readonly disabledAt: number | null;
  /** Counts changes of role, access and password from 1. */
  readonly revision: number;
  readonly createdAt: number;
}

const OF_OPERATORS: readonly Scope[] = ['read', 'write', 'approve', 'provision'];

/** What a principal may hold at most: an agent never decides, defines or rules (AC-034, AC-064). */
export function scopesOf({ kind, role }: Pick<Principal, 'kind' | 'role'>): readonly Scope[] {
  if (kind === 'agent') return ['read', 'write'];
  return kind === 'human' && role !== 'admin' ? OF_OPERATORS : SCOPES;
}

/** How a principal is recorded, such as `agent:ci`. */
export function actorOf({ kind, name }: Pick<Principal, 'kind' | 'name'>): string {
  return `${kind}:${name}`;
}

/** Names that differ in case alone are one name. */
export function nameKey(name: string): string {
  return name.toLowerCase();
}

export function principalView(principal: Principal): PrincipalView {
  return {
    id: principal.id,
    name: principal.name,
    kind: principal.kind,
    ...(principal.role === null ? {} : { role: principal.role }),
    enabled: principal.disabledAt === null,
    ...(principal.disabledAt === null ? {} : { disabled_at: principal.disabledAt }),
    revision: principal.revision,
    created_at: principal.createdAt,
  };
}

/** Raises `stale_revision` when somebody changed the principal since the caller read it. */
export function assertRevision({ name, revision }: Principal, expected: number): void {
  if (revision === expected) return;
  throw new PalisadeError('stale_revision', `${name} is at revision ${revision}, not ${expected}`, {
    why: 'somebody changed it meanwhile',
    next: 'read it again and decide anew',
  });
}

/** Accounts of people are for people who administer, whatever scopes a service holds (AC-034, AO-156). */
export function assertPerson({ kind, actor }: Caller): void {
  if (kind === 'human') return;
  throw new PalisadeError('operation_not_permitted', 'accounts of people are managed by people', {
    why: `${actor} is no person`,
    next: 'ask an administrator',
  });
}

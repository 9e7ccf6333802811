import * as z from 'zod';
import type { CredentialClass } from './credential.ts';
import { PalisadeError } from './errors.ts';

/**
 * What a caller may do, from less to more (EX-198): `read` sees a project; `write` starts, changes and stops runs; `approve` decides
 * what is a person's to decide; `provision` defines what others run, reach and hold; `system` rules the installation. None implies
 * another.
 */
export const SCOPES = ['read', 'write', 'approve', 'provision', 'system'] as const;
export const Scope = z.enum(SCOPES);
export type Scope = z.infer<typeof Scope>;

/** What an operation asks of whoever calls it: a scope, the bearer of a reporter (AC-152), or nothing at all. */
export type Access = Scope | 'reporter' | 'anonymous';

/** The project that is always there: what is used in a directory, without a server. */
export const DEFAULT_PROJECT = 'default';

/** A name of a project's where those of all projects stand side by side, as names of the default one always stood: none has a slash. */
export function nameAmongAll(project: string, name: string): string {
  return project === DEFAULT_PROJECT ? name : `${project}/${name}`;
}

/** A project that is not there, or not to be seen by whoever asks: one answer for both (EX-020). */
export function noProject(project: string): PalisadeError {
  return new PalisadeError('not_found', `there is no project ${project}`, {
    next: 'choose one of pal project list: pal config set project NAME, or --project NAME; pal project create NAME makes one',
  });
}

/** An authenticated caller. What it may do comes from its credential alone, never from what it says. */
export interface Caller {
  /** Recorded identity such as `human:ada` or `agent:ci`. */
  readonly actor: string;
  readonly kind: 'human' | 'agent' | 'service';
  readonly scopes: ReadonlySet<Scope>;
  /** The only project that it may see; null: every one. */
  readonly project: string | null;
  /** `prn_…`; null for whoever holds the control plane's own files. */
  readonly principal: string | null;
  /** `crd_…` of the credential presented, or `bses_…` of the browser session; it may be revoked while the call is under way. Null as above. */
  readonly credential: string | null;
  /** Of the credential; absent of whoever presented none. */
  readonly class?: CredentialClass | 'browser';
  /** `hses_…` of the open harness session that the call is bound to (AC-058); absent: none, and then it owns nothing. */
  readonly session?: string;
  /** `hses_…` of the session that began this one, over as many as there are between (AC-061); null: there are too many to tell, so it is nobody else's for sure. */
  readonly launch?: string | null;
  /** `hsub_…` of the subagent whose session it is (AC-060). */
  readonly subagent?: string;
  /** `rep_…` of a reporter, which has no scope and calls nothing but what is a reporter's; absent of everybody else. */
  readonly reporter?: string;
}

/** Whoever opens a control plane's own files, in process: there is nothing left to keep from it. */
export function hostCaller(actor: string): Caller {
  return {
    actor,
    kind: 'human',
    scopes: new Set(SCOPES),
    project: null,
    principal: null,
    credential: null,
  };
}

/** True for {@link hostCaller}: it could do by hand what it asks for. */
export function isHost({ principal }: Caller): boolean {
  return principal === null;
}

/** Whoever presented nothing, and was asked for nothing. It is not the host: no unit of work lets it pass. */
export const ANONYMOUS: Caller = Object.freeze({
  actor: 'anonymous',
  kind: 'human',
  scopes: new Set<Scope>(),
  project: null,
  principal: 'anonymous',
  credential: null,
});

/**
 * True when a caller has what an operation asks for. A credential of the class `integrator` has whatever its scopes say nothing but
 * what is an integrator's to call (AC-055), and of that there is nothing.
 */
export function hasAccess({ scopes, class: as, reporter }: Caller, access: Access): boolean {
  if (access === 'reporter') return reporter !== undefined;
  return access === 'anonymous' || (as !== 'integrator' && scopes.has(access));
}

/** Refuses a caller that lacks a scope: `operation_not_permitted`. A project that it may not see is `not_found`, as an absent one (EX-020). */
export function assertMay(caller: Caller, access: Access, project: string | null): void {
  if (project !== null && caller.project !== null && caller.project !== project) throw noProject(project);
  if (hasAccess(caller, access)) return;
  if (access === 'reporter')
    throw new PalisadeError('operation_not_permitted', 'only the reporter of a job may call it', {
      next: 'send the bearer of the reporter',
    });
  if (caller.class === 'integrator')
    throw new PalisadeError('operation_not_permitted', 'it is no call of an integrator', {
      why: `the credential of ${caller.actor} is of the class integrator`,
      next: 'use a credential of the class interactive or supervised',
    });
  throw new PalisadeError('operation_not_permitted', `it needs the scope ${access}`, {
    why: `the credential of ${caller.actor} has ${[...caller.scopes].join(', ') || 'no scope'}`,
    next: 'ask an administrator for a credential with that scope',
  });
}

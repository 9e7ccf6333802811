import { hash } from 'node:crypto';
import {
  ANONYMOUS,
  type Caller,
  type Operation,
  PalisadeError,
  type PresentedSession,
} from '@palisade/contracts';
import type { Identity } from '@palisade/identity';
import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import type { HttpEnv } from './env.ts';
import { presentedSession } from './presented-session.ts';
import type { OwnOrigin } from './own-origin.ts';
import type { RateLimit } from './rate-limit.ts';
import type { RecentlyGood } from './recently-good.ts';

export interface AuthenticationDeps {
  /** The caller that a bearer token stands for; null for one that is unknown, expired or revoked. */
  readonly authenticate: (token: string) => Promise<Caller | null>;
  readonly sessions: Pick<
    Identity,
    'cookieName' | 'authenticateSession' | 'authenticateReporter' | 'checkCsrf' | 'bindSession'
  >;
  readonly origin: OwnOrigin;
  /** A proxy in front terminates TLS, and every address is its own. */
  readonly isBehindProxy: boolean;
  readonly rateLimit: RateLimit;
  /** Of what reporters call, by bearer. */
  readonly reportRate: RateLimit;
  /** Credentials that nobody was given, by address: whoever tries many is not looked up any more. Behind a proxy it is not asked. */
  readonly failures: RateLimit;
  readonly good: RecentlyGood;
}

/** Who makes a request. */
export interface Authenticated {
  readonly caller: Caller;
  /** What the session cookie holds: of whoever is authenticated by it, and of whoever is nobody yet. */
  readonly session: string | undefined;
  /** What is presented of a harness session, judged by nobody yet. */
  readonly presented?: PresentedSession | undefined;
  /** The caller, bound to the harness session that is presented, if one is. Raises as for no valid credential where it is not good (AC-058). */
  readonly bound: () => Promise<Caller>;
  /** Asks again whether what was presented is good. */
  readonly isStillGood: () => Promise<boolean>;
}

/**
 * The authenticated caller of a request. Where a token is presented it decides, and a cookie beside it counts for nothing: no page can
 * make a browser send a token. Raises `rate_limited` before anything is looked up, one answer for all that is not a valid credential,
 * and `operation_not_permitted` under a Host that is not this server's. With `reporter` it is that one, which presents its bearer and
 * nothing else (AC-152): no harness session, and no token of anybody.
 */
export async function authenticated(
  deps: AuthenticationDeps,
  c: Context<HttpEnv>,
  how: { readonly isByToken?: boolean; readonly reporter?: string } = {},
): Promise<Authenticated> {
  const token = tokenOf(c);
  const isByToken = how.isByToken === true || how.reporter !== undefined;
  const session = token === undefined && !isByToken ? getCookie(c, deps.sessions.cookieName) : undefined;
  const presented = token ?? session;
  const address = addressOf(c);
  // However somebody spells the header, one credential has one bucket; whoever brings none, or ones that nobody was given, has that of the address.
  const key = presented === undefined ? address : sha256(presented);
  const harness = presentedSession(c.req.raw.headers);
  const whole = harness === undefined ? key : sha256(`${key} ${harness.session} ${harness.proof}`);
  const isNew = presented !== undefined && !deps.isBehindProxy && !deps.good.has(whole);
  const rate = how.reporter === undefined ? deps.rateLimit : deps.reportRate;
  assertUnhurried(Math.max(rate.take(key), isNew ? deps.failures.wait(address) : 0));
  const look = async (): Promise<Caller | null> => {
    if (how.reporter !== undefined)
      return harness === undefined ? deps.sessions.authenticateReporter(token ?? '', how.reporter) : null;
    if (token !== undefined) return deps.authenticate(token);
    return session === undefined ? null : deps.sessions.authenticateSession(session);
  };
  const refuse = (): never => {
    if (presented !== undefined) deps.failures.take(address);
    deps.good.delete(whole);
    throw unauthenticated();
  };
  const caller = (await look()) ?? refuse();
  c.set('caller', caller);
  deps.origin.assertHost(c.req.raw.headers);
  if (harness === undefined) deps.good.add(whole);
  let isBound = false;
  const bind = async (found: Caller): Promise<Caller | null> =>
    harness === undefined ? found : deps.sessions.bindSession(found, harness);
  return {
    caller,
    session,
    presented: harness,
    bound: async () => {
      isBound = true;
      const found = (await bind(caller)) ?? refuse();
      deps.good.add(whole);
      return found;
    },
    isStillGood: async () => {
      const found = await look();
      return found !== null && (!isBound || (await bind(found)) !== null);
    },
  };
}

/** Whoever calls what is open to all, within the rate of their address. */
export function anonymous(deps: AuthenticationDeps, c: Context<HttpEnv>): Authenticated {
  assertUnhurried(deps.rateLimit.take(addressOf(c)));
  deps.origin.assertHost(c.req.raw.headers);
  const session = getCookie(c, deps.sessions.cookieName);
  return { caller: ANONYMOUS, session, bound: async () => ANONYMOUS, isStillGood: async () => true };
}

/**
 * Refuses a change that a page of somebody else may have had a browser make (AC-038, AO-167): the origin has to be this server's own,
 * and whoever has a session tells its CSRF token. What a token authenticates is no browser's. Raises `operation_not_permitted`.
 */
export function assertFromOwnPage(
  deps: AuthenticationDeps,
  c: Context<HttpEnv>,
  operation: Operation,
  { session }: Authenticated,
): void {
  const isOpen = operation.access === 'anonymous';
  if (operation.effect === 'read' || (session === undefined && !isOpen)) return;
  deps.origin.assertPage(c.req.raw.headers);
  if (isOpen || deps.sessions.checkCsrf(session ?? '', c.req.header('X-CSRF-Token'))) return;
  throw new PalisadeError('operation_not_permitted', 'X-CSRF-Token is not the one of this session', {
    next: 'send the csrf_token that /v1/auth/me answers',
  });
}

export function unauthenticated(): PalisadeError {
  return new PalisadeError('authentication_required', 'no valid credential', {
    next: 'send Authorization: Bearer TOKEN; an administrator issues one (palisade principal create)',
  });
}

function sha256(text: string): string {
  return hash('sha256', text, 'base64url');
}

function assertUnhurried(seconds: number): void {
  if (seconds === 0) return;
  throw new PalisadeError('rate_limited', 'too many requests', {
    next: `ask again in ${seconds} s`,
    retryAfterMs: seconds * 1_000,
  });
}

/** By what whoever is nobody is counted. */
export function addressOf(c: Context<HttpEnv>): string {
  return `address ${c.env?.incoming?.socket.remoteAddress ?? ''}`;
}

function tokenOf(c: Context<HttpEnv>): string | undefined {
  return /^Bearer ([\x21-\x7e]{1,512})$/i.exec(c.req.header('Authorization') ?? '')?.[1];
}

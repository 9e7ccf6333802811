import {
  type BoundOperation,
  type Caller,
  inputReader,
  newId,
  PalisadeError,
  projectOf,
  routerPath,
  type SessionCookie,
  toPalisadeError,
} from '@palisade/contracts';
import { type Context, Hono } from 'hono';
import { setCookie } from 'hono/cookie';
import { type AccountPages, routeAccountPages } from './account-pages.ts';
import {
  addressOf,
  anonymous,
  assertFromOwnPage,
  authenticated,
  type AuthenticationDeps,
  unauthenticated,
} from './authentication.ts';
import { callOperation } from './call-operation.ts';
import type { HttpEnv } from './env.ts';
import { eventStreamReply } from './event-stream.ts';
import { Exchange, type Holder, holderOf } from './exchange.ts';
import { assertOwnOrigin } from '../mcp/assert-own-origin.ts';
import { answerMcp } from '../mcp/endpoint.ts';
import { McpTools } from '../mcp/mcp-server.ts';
import { MCP_PATH } from '../mcp/protocol.ts';
import { assertCallable, type CallDeps } from './assert-callable.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import { BODY_BYTES, readJsonBody } from './json-body.ts';
import { isLoopback } from './listen.ts';
import type { Load } from './load.ts';
import { type Problem, problemOf, problemReply } from './problem.ts';
import { describeRequest, inRequestSpan } from './tracing.ts';

/** What a request was and came to, for the log: no names, no values, no text of anybody. */
export interface RequestFacts {
  readonly id: string;
  /** The operation's id, or null of a request that is none. */
  readonly operation: string | null;
  readonly method: string;
  readonly status: number;
  readonly ms: number;
  /** Who called, once that is known. */
  readonly actor: string | null;
  /** Of a request that was refused. */
  readonly code?: string;
}

export interface HttpDeps extends CallDeps, AuthenticationDeps {
  readonly operations: readonly BoundOperation[];
  /** What mailed links lead to. */
  readonly pages: AccountPages;
  /** Whether requests can be answered now; raises or is false when not. */
  readonly isReady: () => Promise<boolean>;
  /** What `/metrics` answers. */
  readonly scrape: () => Promise<string>;
  /** What callers hold of this server. */
  readonly load: Load;
  /** What `/v1/openapi.json` answers, as JSON. */
  readonly openapi: () => string;
  /** Aborted when the server closes: streams end, and their clients come back elsewhere. */
  readonly closing: AbortSignal;
  readonly onRequest: (facts: RequestFacts) => void;
  /** Told of a fault of ours, with the request it happened in. */
  readonly onFault: (error: unknown, requestId: string) => void;
}

const NO_STORE = [
  ['Cache-Control', 'no-store'],
  ['X-Content-Type-Options', 'nosniff'],
] as const;

/**
 * The HTTP surface: one route for each bound operation, and nothing that is not said by its declaration. In this order: rate limit,
 * before any database work; authentication; scope; body; handler (EX-023, AC-016).
 */
export function httpApp(deps: HttpDeps): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  app.use((c, next) =>
    inRequestSpan(c.req.raw, async (span) => {
      const began = performance.now();
      c.set('id', newId('req'));
      c.set('operation', null);
      c.set('caller', null);
      await next();
      // Set where Node keeps them: the answer's own headers would be made anew, for every answer.
      const { outgoing } = c.env;
      outgoing.setHeader('Request-Id', c.get('id'));
      outgoing.setHeader('Server-Time', new Date().toISOString());
      for (const [name, value] of NO_STORE) outgoing.setHeader(name, value);
      const code = c.get('code');
      const facts: RequestFacts = {
        id: c.get('id'),
        operation: c.get('operation'),
        method: c.req.method,
        status: c.res.status,
        ms: performance.now() - began,
        actor: c.get('caller')?.actor ?? null,
        ...(code === undefined ? {} : { code }),
      };
      describeRequest(span, facts);
      deps.onRequest(facts);
    }),
  );
  app.onError((error, c) => refuse(deps, c, error));
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  app.get('/readyz', async (c) => {
    const isReady = await deps.isReady().catch(() => false);
    return c.json({ status: isReady ? 'ready' : 'unavailable' }, isReady ? 200 : 503);
  });
  app.get(
    '/v1/openapi.json',
    () => new Response(deps.openapi(), { headers: { 'Content-Type': 'application/json' } }),
  );
  app.get('/metrics', async (c) => {
    if (!mayScrapeUnasked(deps, c)) assertMayScrape((await authenticated(deps, c)).caller);
    return c.body(await deps.scrape(), 200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' });
  });
  for (const bound of deps.operations) route(app, deps, bound);
  routeAccountPages(app, deps, deps.pages);
  routeMcp(app, deps);
  // Whoever is nobody learns nothing of what there is, not even which paths.
  app.notFound(async (c) => {
    try {
      await authenticated(deps, c);
      throw new PalisadeError('not_found', 'no such route', { next: 'see /v1/openapi.json' });
    } catch (error) {
      return refuse(deps, c, error);
    }
  });
  return app;
}

function route(app: Hono<HttpEnv>, deps: HttpDeps, bound: BoundOperation): void {
  const { operation } = bound;
  const read = inputReader(operation);
  const of = ({ reporter = '' }: Record<string, string>) =>
    operation.access === 'reporter' ? { reporter } : {};
  app.on(operation.method, routerPath(operation), async (c) => {
    c.set('operation', operation.id);
    const params = c.req.param();
    const by =
      operation.access === 'anonymous' ? anonymous(deps, c) : await authenticated(deps, c, of(params));
    assertFromOwnPage(deps, c, operation, by);
    const { session, presented, isStillGood: mayGoOn } = by;
    const caller = operation.session === 'presented' ? by.caller : await by.bound();
    const browser = {
      session,
      setCookie: ({ name, value, attributes }: SessionCookie) => setCookie(c, name, value, attributes),
    };
    const project = projectOf(operation, params);
    // Before the body is taken: from whoever may not call it nothing is read.
    await assertCallable(deps, operation, caller, project);
    const key = idempotencyKeyOf(operation, c.req.header('Idempotency-Key'));
    const query = queryOf(c.req.url);
    const holder = operation.access === 'anonymous' ? { who: addressOf(c) } : holderOf(caller);
    const exchange = exchangeOf(deps, c, holder);
    if (operation.frame !== undefined) exchange.holdStream();
    const body = await readJsonBody(c.req.raw, operation.bodyBytes ?? BODY_BYTES, exchange);
    const input = read({ params, query, body: body.value });
    // Whoever comes back comes back to the same address: what it says is where the first connection began.
    if (operation.frame !== undefined) input['after'] = c.req.header('Last-Event-ID') ?? input['after'];
    const began = performance.now();
    const leaving = operation.frame === undefined ? undefined : new AbortController();
    const cut = leaving === undefined ? undefined : AbortSignal.any([leaving.signal, exchange.signal]);
    const answer = await callOperation(deps, bound, {
      caller,
      requestId: c.get('id'),
      project,
      idempotencyKey: key,
      presented,
      ...(session === undefined && operation.access !== 'anonymous' ? {} : { browser }),
      input,
      bytes: body.bytes,
      exchange,
      ...(cut === undefined ? {} : { signal: cut }),
    });
    if (cut !== undefined) {
      const stop = (): void => leaving?.abort();
      return eventStreamReply(answer as Parameters<typeof eventStreamReply>[0], { mayGoOn, stop, cut });
    }
    // What waited is not told to somebody who may not see it any more.
    if (operation.effect === 'read' && performance.now() - began > ASK_AGAIN_MS && !(await mayGoOn()))
      throw unauthenticated();
    return c.json(answer as object);
  });
}

/** The same operations as tools. Who calls is settled before anything of the protocol is looked at (AO-130). */
function routeMcp(app: Hono<HttpEnv>, deps: HttpDeps): void {
  const tools = new McpTools(deps.operations, deps);
  app.all(MCP_PATH, async (c) => {
    // By a token alone: it is no place for pages.
    const { caller, presented, bound } = await authenticated(deps, c, { isByToken: true });
    const requestId = c.get('id');
    return answerMcp({ tools, origin: deps.origin.whole, tell: deps.tell }, c.req.raw, {
      caller,
      presented,
      bound,
      requestId,
      exchange: exchangeOf(deps, c, holderOf(caller)),
      onOperation: (id) => c.set('operation', id),
      onFault: (error) => deps.onFault(error, requestId),
    });
  });
}

/** Bounds what a request holds that somebody makes, from before its body is read. */
function exchangeOf(deps: HttpDeps, c: Context<HttpEnv>, holder: Holder): Exchange {
  const signal = (): AbortSignal => AbortSignal.any([c.req.raw.signal, deps.closing]);
  return new Exchange(deps.load, holder, c.env.outgoing, signal);
}

function queryOf(url: string): URLSearchParams {
  const at = url.indexOf('?');
  return new URLSearchParams(at === -1 ? '' : url.slice(at));
}

/** A program of this machine is told figures without being asked who it is; what came through a proxy, or from a web page, is not. */
function mayScrapeUnasked(deps: HttpDeps, c: Context<HttpEnv>): boolean {
  if (deps.isBehindProxy || c.req.header('Authorization') !== undefined) return false;
  if (!isLoopback(c.env.incoming.socket.remoteAddress?.replace(/^::ffff:/, '') ?? '')) return false;
  deps.origin.assertHost(c.req.raw.headers);
  assertOwnOrigin(c.req.raw.headers, deps.origin.whole);
  return true;
}

/** Figures are of every project: whoever may read them all learns nothing new, and a scraper need not hold more than that. */
function assertMayScrape({ scopes, project, actor }: Caller): void {
  if (scopes.has('system') || (scopes.has('read') && project === null)) return;
  throw new PalisadeError('operation_not_permitted', 'it needs the scope read of every project, or system', {
    why: `the credential of ${actor} has neither`,
    next: 'ask an administrator for a credential with that scope',
  });
}

/** An answer that took longer is given only to a caller who may still have it. */
const ASK_AGAIN_MS = 2_000;

function refuse(deps: HttpDeps, c: Context<HttpEnv>, error: unknown): Response {
  const id = c.get('id');
  const problem: Problem = problemOf(error, id, deps.tell);
  c.set('code', problem.code);
  if (problem.status >= 500) deps.onFault(error, id);
  const { retryAfterMs } = toPalisadeError(error);
  return problemReply(problem, {
    ...(retryAfterMs === undefined ? {} : { 'Retry-After': String(Math.ceil(retryAfterMs / 1_000)) }),
    ...(problem.status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
  });
}

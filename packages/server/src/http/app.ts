import {
  type BoundOperation,
  DEFAULT_PROJECT,
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
  anonymous,
  assertFromOwnPage,
  authenticated,
  type AuthenticationDeps,
  unauthenticated,
} from './authentication.ts';
import type { HttpEnv } from './env.ts';
import { eventStreamReply } from './event-stream.ts';
import { answerMcp } from '../mcp/endpoint.ts';
import { McpTools } from '../mcp/mcp-server.ts';
import { MCP_PATH } from '../mcp/protocol.ts';
import { assertCallable, type CallDeps } from './assert-callable.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import { BODY_BYTES, readJsonBody } from './json-body.ts';
import { type Problem, problemOf, problemReply } from './problem.ts';

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
}

export interface HttpDeps extends CallDeps, AuthenticationDeps {
  readonly operations: readonly BoundOperation[];
  /** What mailed links lead to. */
  readonly pages: AccountPages;
  /** Whether requests can be answered now; raises or is false when not. */
  readonly isReady: () => Promise<boolean>;
  /** What `/v1/openapi.json` answers, as JSON. */
  readonly openapi: () => string;
  /** Aborted when the server closes: streams end, and their clients come back elsewhere. */
  readonly closing: AbortSignal;
  readonly onRequest: (facts: RequestFacts) => void;
  /** Told of a fault of ours, with the request it happened in. */
  readonly onFault: (error: unknown, requestId: string) => void;
}

const NO_STORE = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

/**
 * The HTTP surface: one route for each bound operation, and nothing that is not said by its declaration. In this order: rate limit,
 * before any database work; authentication; scope; body; handler (EX-023, AC-016).
 */
export function httpApp(deps: HttpDeps): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  app.use(async (c, next) => {
    const began = performance.now();
    c.set('id', newId('req'));
    c.set('operation', null);
    c.set('caller', null);
    await next();
    c.res.headers.set('Request-Id', c.get('id'));
    c.res.headers.set('Server-Time', new Date().toISOString());
    for (const [name, value] of Object.entries(NO_STORE)) c.res.headers.set(name, value);
    deps.onRequest({
      id: c.get('id'),
      operation: c.get('operation'),
      method: c.req.method,
      status: c.res.status,
      ms: performance.now() - began,
      actor: c.get('caller')?.actor ?? null,
    });
  });
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

function route(app: Hono<HttpEnv>, deps: HttpDeps, { operation, handler }: BoundOperation): void {
  const read = inputReader(operation);
  app.on(operation.method, routerPath(operation), async (c) => {
    c.set('operation', operation.id);
    const by = operation.access === 'anonymous' ? anonymous(deps, c) : await authenticated(deps, c);
    assertFromOwnPage(deps, c, operation, by);
    const { caller, session, isStillGood: mayGoOn } = by;
    const browser = {
      session,
      setCookie: ({ name, value, attributes }: SessionCookie) => setCookie(c, name, value, attributes),
    };
    const params = c.req.param();
    const project = projectOf(operation, params);
    // Before the body is taken: from whoever may not call it nothing is read.
    await assertCallable(deps, operation, caller, project);
    const key = idempotencyKeyOf(operation, c.req.header('Idempotency-Key'));
    const { searchParams: query } = new URL(c.req.url);
    const body = await readJsonBody(c.req.raw, operation.bodyBytes ?? BODY_BYTES);
    const input = read({ params, query, body });
    if (operation.frame !== undefined) input['after'] ??= c.req.header('Last-Event-ID');
    const began = performance.now();
    const leaving = new AbortController();
    const stop = (): void => leaving.abort();
    const cut = AbortSignal.any([leaving.signal, c.req.raw.signal, deps.closing]);
    const answer = await deps.asCaller(caller, () =>
      handler(input, {
        signal: cut,
        requestId: c.get('id'),
        actor: caller.actor,
        caller,
        project: project ?? DEFAULT_PROJECT,
        ...(session === undefined && operation.access !== 'anonymous' ? {} : { browser }),
        ...(key === undefined ? {} : { idempotencyKey: key }),
      }),
    );
    if (operation.frame !== undefined)
      return eventStreamReply(answer as Parameters<typeof eventStreamReply>[0], { mayGoOn, stop, cut });
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
    const { caller } = await authenticated(deps, c, { isByToken: true });
    const requestId = c.get('id');
    return answerMcp({ tools, origin: deps.origin.whole }, c.req.raw, {
      caller,
      requestId,
      onOperation: (id) => c.set('operation', id),
      onFault: (error) => deps.onFault(error, requestId),
    });
  });
}

/** An answer that took longer is given only to a caller who may still have it. */
const ASK_AGAIN_MS = 2_000;

function refuse(deps: HttpDeps, c: Context<HttpEnv>, error: unknown): Response {
  const id = c.get('id');
  const problem: Problem = problemOf(error, id);
  if (problem.status >= 500) deps.onFault(error, id);
  const { retryAfterMs } = toPalisadeError(error);
  return problemReply(problem, {
    ...(retryAfterMs === undefined ? {} : { 'Retry-After': String(Math.ceil(retryAfterMs / 1_000)) }),
    ...(problem.status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
  });
}

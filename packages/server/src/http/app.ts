import {
  type BoundOperation,
  type Caller,
  inputReader,
  newId,
  PalisadeError,
  projectOf,
  routerPath,
  toPalisadeError,
} from '@palisade/contracts';
import { createHash } from 'node:crypto';
import { type Context, Hono } from 'hono';
import type { HttpBindings } from '@hono/node-server';
import { callOperation } from './call-operation.ts';
import { eventStreamReply } from './event-stream.ts';
import { Exchange } from './exchange.ts';
import { assertOwnOrigin } from '../mcp/assert-own-origin.ts';
import { answerMcp } from '../mcp/endpoint.ts';
import { McpTools } from '../mcp/mcp-server.ts';
import { assertCallable, type CallDeps } from './assert-callable.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import { BODY_BYTES, readJsonBody } from './json-body.ts';
import { isLoopback } from './listen.ts';
import type { Load } from './load.ts';
import { type Problem, problemOf, problemReply } from './problem.ts';
import type { RateLimit } from './rate-limit.ts';
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

export interface HttpDeps extends CallDeps {
  readonly operations: readonly BoundOperation[];
  /** The caller that a bearer token stands for; null for one that is unknown, expired or revoked. */
  readonly authenticate: (token: string) => Promise<Caller | null>;
  /** A proxy in front terminates TLS and decides by which names it is called. */
  readonly isBehindProxy: boolean;
  /** Whether requests can be answered now; raises or is false when not. */
  readonly isReady: () => Promise<boolean>;
  /** What `/metrics` answers. */
  readonly scrape: () => Promise<string>;
  /** What `/v1/openapi.json` answers, as JSON. */
  readonly openapi: () => string;
  readonly rateLimit: RateLimit;
  /** What callers hold of this server. */
  readonly load: Load;
  /** Tokens that nobody was given, by address: whoever tries many is not looked up any more. Behind a proxy every address is the proxy's, and it is not asked. */
  readonly failures: RateLimit;
  /** Aborted when the server closes: streams end, and their clients come back elsewhere. */
  readonly closing: AbortSignal;
  readonly onRequest: (facts: RequestFacts) => void;
  /** Told of a fault of ours, with the request it happened in. */
  readonly onFault: (error: unknown, requestId: string) => void;
}

interface Env {
  Bindings: HttpBindings;
  Variables: { id: string; operation: string | null; caller: Caller | null; code: string | undefined };
}

const NO_STORE = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

/**
 * The HTTP surface: one route for each bound operation, and nothing that is not said by its declaration. In this order: rate limit,
 * before any database work; authentication; scope; body; handler (EX-023, AC-016).
 */
export function httpApp(deps: HttpDeps): Hono<Env> {
  const app = new Hono<Env>();
  app.use((c, next) =>
    inRequestSpan(c.req.raw, async (span) => {
      const began = performance.now();
      c.set('id', newId('req'));
      c.set('operation', null);
      c.set('caller', null);
      await next();
      c.res.headers.set('Request-Id', c.get('id'));
      c.res.headers.set('Server-Time', new Date().toISOString());
      for (const [name, value] of Object.entries(NO_STORE)) c.res.headers.set(name, value);
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
    if (!mayScrapeUnasked(deps, c)) assertMayScrape(await callerOf(deps, c));
    return c.body(await deps.scrape(), 200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' });
  });
  for (const bound of deps.operations) route(app, deps, bound);
  routeMcp(app, deps);
  // Whoever is nobody learns nothing of what there is, not even which paths.
  app.notFound(async (c) => {
    try {
      await callerOf(deps, c);
      throw new PalisadeError('not_found', 'no such route', { next: 'see /v1/openapi.json' });
    } catch (error) {
      return refuse(deps, c, error);
    }
  });
  return app;
}

function route(app: Hono<Env>, deps: HttpDeps, bound: BoundOperation): void {
  const { operation } = bound;
  const read = inputReader(operation);
  app.on(operation.method, routerPath(operation), async (c) => {
    c.set('operation', operation.id);
    const caller = await callerOf(deps, c);
    const params = c.req.param();
    const project = projectOf(operation, params);
    // Before the body is taken: from whoever may not call it nothing is read.
    await assertCallable(deps, operation, caller, project);
    const key = idempotencyKeyOf(operation, c.req.header('Idempotency-Key'));
    const { searchParams: query } = new URL(c.req.url);
    const exchange = exchangeOf(deps, c, caller);
    if (operation.frame !== undefined) exchange.holdStream();
    const body = await readJsonBody(c.req.raw, operation.bodyBytes ?? BODY_BYTES, exchange);
    const input = read({ params, query, body: body.value });
    if (operation.frame !== undefined) input['after'] ??= c.req.header('Last-Event-ID');
    const began = performance.now();
    const leaving = new AbortController();
    const stop = (): void => leaving.abort();
    const cut =
      operation.frame === undefined ? exchange.signal : AbortSignal.any([leaving.signal, exchange.signal]);
    const answer = await callOperation(deps, bound, {
      caller,
      requestId: c.get('id'),
      project,
      idempotencyKey: key,
      input,
      bytes: body.bytes,
      exchange,
      signal: cut,
    });
    const mayGoOn = async (): Promise<boolean> => (await deps.authenticate(tokenOf(c) ?? '')) !== null;
    if (operation.frame !== undefined)
      return eventStreamReply(answer as Parameters<typeof eventStreamReply>[0], { mayGoOn, stop, cut });
    // What waited is not told to somebody who may not see it any more.
    if (operation.effect === 'read' && performance.now() - began > ASK_AGAIN_MS && !(await mayGoOn()))
      throw unauthenticated();
    return c.json(answer as object);
  });
}

/** The same operations as tools. Who calls is settled before anything of the protocol is looked at (AO-130). */
function routeMcp(app: Hono<Env>, deps: HttpDeps): void {
  const tools = new McpTools(deps.operations, deps);
  app.all('/mcp', async (c) => {
    const caller = await callerOf(deps, c);
    const requestId = c.get('id');
    return answerMcp({ tools, isBehindProxy: deps.isBehindProxy, tell: deps.tell }, c.req.raw, {
      caller,
      requestId,
      exchange: exchangeOf(deps, c, caller),
      onOperation: (id) => c.set('operation', id),
      onFault: (error) => deps.onFault(error, requestId),
    });
  });
}

/** A program of this machine is told figures without being asked who it is; what came through a proxy, or from a web page, is not. */
function mayScrapeUnasked(deps: HttpDeps, c: Context<Env>): boolean {
  if (deps.isBehindProxy || c.req.header('Authorization') !== undefined) return false;
  if (!isLoopback(c.env.incoming.socket.remoteAddress?.replace(/^::ffff:/, '') ?? '')) return false;
  assertOwnOrigin(c.req.raw.headers, false);
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

/** The authenticated caller. Raises `rate_limited` before anything is looked up, and one answer for all that is not a valid credential. */
async function callerOf(deps: HttpDeps, c: Context<Env>): Promise<Caller> {
  const token = tokenOf(c);
  const address = `address ${c.env?.incoming?.socket.remoteAddress ?? ''}`;
  // However somebody spells the header, one token has one bucket; whoever brings none, or ones that nobody was given, has that of the address.
  const key = token === undefined ? address : createHash('sha256').update(token).digest('base64url');
  const failing = deps.isBehindProxy ? 0 : deps.failures.wait(address);
  const wait = Math.max(deps.rateLimit.take(key), token === undefined ? 0 : failing);
  if (wait > 0)
    throw new PalisadeError('rate_limited', 'too many requests', {
      next: `ask again in ${wait} s`,
      retryAfterMs: wait * 1_000,
    });
  const caller = token === undefined ? null : await deps.authenticate(token);
  if (caller === null) {
    if (token !== undefined) deps.failures.take(address);
    throw unauthenticated();
  }
  c.set('caller', caller);
  return caller;
}

/** Bounds what an authenticated request holds, from before its body is read. */
function exchangeOf(deps: HttpDeps, c: Context<Env>, caller: Caller): Exchange {
  const signal = AbortSignal.any([c.req.raw.signal, deps.closing]);
  return new Exchange(deps.load, caller, c.env.outgoing, signal);
}

function unauthenticated(): PalisadeError {
  return new PalisadeError('authentication_required', 'no valid credential', {
    next: 'send Authorization: Bearer TOKEN; an administrator issues one (palisade principal create)',
  });
}

function tokenOf(c: Context<Env>): string | undefined {
  return /^Bearer ([\x21-\x7e]{1,512})$/i.exec(c.req.header('Authorization') ?? '')?.[1];
}

function refuse(deps: HttpDeps, c: Context<Env>, error: unknown): Response {
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

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Caller, hostCaller, PalisadeError, SCOPES, type Scope } from '@palisade/contracts';
import { onTestFinished } from 'vitest';
import { type AccountSettings, type Composition, compose } from '../src/compose.ts';
import { GuardedCalls } from '../src/http/guarded-database.ts';
import { LOAD, type LoadLimits } from '../src/http/load.ts';
import type { RequestRate } from '../src/http/rate-limit.ts';
import { startServer } from '../src/http/start-server.ts';
import { inControlPlaneHome } from '../src/in-control-plane-home.ts';
import { layoutOf } from '../src/layout.ts';

export interface HttpRig {
  readonly url: string;
  readonly root: string;
  readonly composition: Composition;
  /** Every line of the structured log. */
  readonly lines: Readonly<Record<string, unknown>>[];
  /** A token of a caller with these scopes. */
  token(scopes: readonly Scope[], more?: Partial<Caller>): string;
  revoke(token: string): void;
  /** Sends a request with a token; a body is sent as JSON. */
  send(method: string, path: string, how?: Sent): Promise<Answer>;
  /** Ends the server and starts another one on the same port, after so many ms. */
  restart(pauseMs?: number): Promise<void>;
  close(): Promise<void>;
}

export interface Sent {
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly key?: string;
  readonly headers?: Record<string, string>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Told;
}

/** The fields of replies that tests look at one by one. */
interface Told {
  readonly code: string;
  readonly detail: string;
  readonly request_id: string;
  readonly data: readonly { readonly name: string }[];
}

const FAST: RequestRate = { perSecond: 100_000, burst: 100_000 };

/** A server on a port of its own over a fresh control plane, of SQLite unless told otherwise; its callers are made by the test. No engine runs. */
export async function httpRig(
  options: {
    readonly rate?: RequestRate;
    readonly reportRate?: RequestRate;
    readonly failures?: RequestRate;
    readonly load?: Partial<LoadLimits>;
    readonly isBehindTls?: boolean;
    /** Called when a request's token, or the bearer of a reporter, was found good, before anything else happens. */
    readonly onAuthenticated?: (token: string) => unknown;
    /** For several tests: whoever asks for it closes it. */
    readonly isShared?: boolean;
    /** Where the database is when not in a file of its own; see `eachDatabase`. */
    readonly databaseUrl?: string;
    /** How people reach it; by default by the address it listens on, without mail. */
    readonly accounts?: AccountSettings;
  } = {},
): Promise<HttpRig> {
  const root = await mkdtemp(join(tmpdir(), 'palisade-http-'));
  const callers = new Map<string, Caller>();
  // Whoever was issued a credential, and people in browsers, are asked about where they are known.
  const issued = new Set<string | null>();
  const isGood = ({ credential }: Caller): boolean =>
    [...callers.values()].some((each) => each.credential === credential);
  const calls: GuardedCalls = new GuardedCalls(async (tx, caller) => {
    if (!issued.has(caller.credential)) return composition.identity.recheck(tx, caller);
    if (!isGood(caller)) throw new PalisadeError('authentication_required', 'no valid credential');
  });
  const lines: Readonly<Record<string, unknown>>[] = [];
  const composition = await compose({
    layout: await inControlPlaneHome(layoutOf(root), true, async () => layoutOf(root)),
    ...(options.databaseUrl === undefined ? {} : { databaseUrl: options.databaseUrl }),
    guard: (database) => calls.guard(database),
    accounts: options.accounts ?? { insecureLoopback: true },
    onFault: (error) => lines.push({ event: 'fault', error: String(error) }),
  });
  const { identity } = composition;
  const authenticateReporter = async (bearer: string, reporter: string) => {
    const caller = await identity.authenticateReporter(bearer, reporter);
    if (caller !== null) await options.onAuthenticated?.(bearer);
    return caller;
  };
  const start = (port: number) =>
    startServer({
      composition: { ...composition, identity: { ...identity, authenticateReporter } },
      calls,
      authenticate: async (token) => {
        const caller = callers.get(token) ?? (await composition.identity.authenticate(token));
        if (caller !== null) await options.onAuthenticated?.(token);
        return caller;
      },
      hasProject: composition.hasProject,
      address: { host: '127.0.0.1', port },
      publicOrigin: options.accounts?.publicOrigin,
      isBehindTls: options.isBehindTls === true,
      rate: options.rate ?? FAST,
      reportRate: options.reportRate ?? FAST,
      failures: options.failures ?? FAST,
      load: { ...LOAD, ...options.load },
      onLine: (line) => lines.push(line),
    });
  let server = await start(0);
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    await server.close(1_000);
    await composition.close();
    await rm(root, { recursive: true, force: true });
  };
  if (options.isShared !== true) onTestFinished(close);
  return {
    url: server.url,
    root,
    composition,
    lines,
    token(scopes, more = {}) {
      const n = callers.size;
      const token = `pal_test_${n}`;
      callers.set(token, {
        ...hostCaller(`agent:t${n}`),
        kind: 'agent',
        scopes: new Set(scopes),
        principal: `prn_${n}`,
        credential: `crd_${n}`,
        ...more,
      });
      issued.add(callers.get(token)?.credential ?? null);
      return token;
    },
    revoke: (token) => void callers.delete(token),
    async send(method, path, { token, body, key, headers = {} } = {}) {
      const response = await fetch(`${server.url}${path}`, {
        method,
        headers: {
          ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...(key === undefined ? {} : { 'Idempotency-Key': key }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        body: JSON.parse(text) as Told,
      };
    },
    async restart(pauseMs = 0) {
      await server.close(1_000);
      await delay(pauseMs);
      server = await start(Number(new URL(server.url).port));
    },
    close,
  };
}

export const EVERY_SCOPE: readonly Scope[] = SCOPES;

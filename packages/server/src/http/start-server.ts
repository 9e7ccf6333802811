import type { Caller } from '@palisade/contracts';
import type { Composition } from '../compose.ts';
import { describeFault } from '../engine-log.ts';
import { httpApp, type RequestFacts } from './app.ts';
import type { GuardedCalls } from './guarded-database.ts';
import { listen, type ListenAddress, type Listening } from './listen.ts';
import { openapiText } from './openapi-text.ts';
import { OwnOrigin } from './own-origin.ts';
import { RateLimit, type RequestRate } from './rate-limit.ts';

export interface ServerOptions {
  readonly composition: Composition;
  /** The same that guards the composition's database. */
  readonly calls: GuardedCalls;
  readonly authenticate: (token: string) => Promise<Caller | null>;
  readonly hasProject: (project: string) => Promise<boolean>;
  readonly address: ListenAddress;
  /** A proxy in front terminates TLS. */
  readonly isBehindTls?: boolean;
  /** Such as `https://palisade.example`; without it the address it listens on. */
  readonly publicOrigin?: string | undefined;
  readonly rate?: RequestRate;
  /** Of tokens that nobody was given, by address. */
  readonly failures?: RequestRate;
  /** Takes one line of the structured log: a JSON object without text of anybody. */
  readonly onLine: (line: Readonly<Record<string, unknown>>) => void;
}

const RATE: RequestRate = { perSecond: 200, burst: 400 };
const FAILURES: RequestRate = { perSecond: 1, burst: 30 };

/** Serves the operations of a composition over HTTP until it is closed. */
export async function startServer(options: ServerOptions): Promise<Listening> {
  const { composition, calls, onLine } = options;
  const closing = new AbortController();
  let openapi: string | undefined;
  const line = (event: string, facts: object): void =>
    onLine({ time: new Date().toISOString(), event, ...facts });
  let served = '';
  const isBehindTls = options.isBehindTls === true;
  const app = httpApp({
    operations: composition.operations,
    authenticate: options.authenticate,
    asCaller: (caller, call) => calls.as(caller, call),
    hasProject: options.hasProject,
    isBehindProxy: isBehindTls,
    sessions: composition.identity,
    pages: composition.identity,
    origin: new OwnOrigin({ publicOrigin: options.publicOrigin, served: () => served, isBehindTls }),
    isReady: async () => {
      if (closing.signal.aborted) return false;
      await composition.database.read((tx) => tx.sql.get('SELECT 1 AS one'));
      return true;
    },
    openapi: () => (openapi ??= openapiText()),
    closing: closing.signal,
    rateLimit: new RateLimit(options.rate ?? RATE),
    failures: new RateLimit(options.failures ?? FAILURES),
    onRequest: ({ ms, ...facts }: RequestFacts) =>
      line('request', { ...facts, ms: Math.round(ms * 10) / 10 }),
    onFault: (error, request) => line('fault', { id: request, fault: describeFault(error) }),
  });
  const listening = await listen(app as never, options.address);
  served = listening.url;
  return {
    url: listening.url,
    close: (drainMs) => {
      closing.abort();
      return listening.close(drainMs);
    },
  };
}

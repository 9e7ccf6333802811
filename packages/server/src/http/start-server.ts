import { dirname } from 'node:path';
import type { Caller } from '@palisade/contracts';
import type { Composition } from '../compose.ts';
import { describeFault } from '../engine-log.ts';
import { httpApp, type RequestFacts } from './app.ts';
import type { GuardedCalls } from './guarded-database.ts';
import { listen, type ListenAddress, type Listening } from './listen.ts';
import { LOAD, Load, type LoadLimits } from './load.ts';
import { openapiText } from './openapi-text.ts';
import { OwnOrigin } from './own-origin.ts';
import { RateLimit, type RequestRate } from './rate-limit.ts';
import { RecentlyGood } from './recently-good.ts';
import { RequestFigures } from './request-figures.ts';
import { scraper } from './scrape.ts';
import { SealedCursors } from './sealed-cursors.ts';
import { SharedAnswer } from './shared-answer.ts';
import { withoutPlaces } from './without-places.ts';

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
  /** Of reporters. */
  readonly reportRate?: RequestRate;
  /** Of tokens that nobody was given, by address. */
  readonly failures?: RequestRate;
  /** What callers may hold at once. */
  readonly load?: LoadLimits;
  /** Takes one line of the structured log: a JSON object without text of anybody. */
  readonly onLine: (line: Readonly<Record<string, unknown>>) => void;
}

const RATE: RequestRate = { perSecond: 200, burst: 400 };
/** A guardian reports twice a minute, and a few times more at both ends. */
const REPORT_RATE: RequestRate = { perSecond: 1, burst: 30 };
/** A probe of readiness that takes longer says no, ms. */
const READY_MS = 2_000;
const FAILURES: RequestRate = { perSecond: 1, burst: 30 };

/** Serves the operations of a composition over HTTP until it is closed. */
export async function startServer(options: ServerOptions): Promise<Listening> {
  const { composition, calls, onLine } = options;
  const closing = new AbortController();
  const readiness = new SharedAnswer(
    async () => {
      await composition.database.read((tx) => tx.sql.get('SELECT 1 AS one'));
      return true;
    },
    READY_MS,
    false,
  );
  const load = new Load(options.load ?? LOAD);
  const figures = new RequestFigures(load);
  let openapi: string | undefined;
  const line = (event: string, facts: object): void =>
    onLine({ time: new Date().toISOString(), event, ...facts });
  let served = '';
  const isBehindTls = options.isBehindTls === true;
  const app = httpApp({
    operations: composition.operations,
    authenticate: options.authenticate,
    asCaller: (caller, call) => calls.as(caller, call),
    cursors: new SealedCursors(composition.database),
    hasProject: options.hasProject,
    tell: withoutPlaces(dirname(composition.plane.home)),
    isBehindProxy: isBehindTls,
    sessions: composition.identity,
    pages: composition.identity,
    origin: new OwnOrigin({ publicOrigin: options.publicOrigin, served: () => served, isBehindTls }),
    isReady: async () => !closing.signal.aborted && (await readiness.get()),
    openapi: () => (openapi ??= openapiText()),
    closing: closing.signal,
    scrape: scraper({
      operations: composition.operations,
      directory: composition.plane.home,
      own: () => figures.families(),
    }),
    load,
    rateLimit: new RateLimit(options.rate ?? RATE),
    reportRate: new RateLimit(options.reportRate ?? REPORT_RATE),
    failures: new RateLimit(options.failures ?? FAILURES),
    good: new RecentlyGood(),
    onRequest: ({ ms, ...facts }: RequestFacts) => {
      figures.count({ ms, ...facts });
      line('request', { ...facts, ms: Math.round(ms * 10) / 10 });
    },
    onFault: (error, request) => line('fault', { id: request, fault: describeFault(error) }),
  });
  const listening = await listen(app as never, options.address, (why) => {
    figures.countRefused();
    line('refused', { why });
  });
  served = listening.url;
  return {
    url: listening.url,
    close: (drainMs) => {
      closing.abort();
      return listening.close(drainMs);
    },
  };
}

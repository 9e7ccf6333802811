import { PalisadeError } from '@palisade/contracts';
import { type EgressPolicy, vetUrl } from './egress-policy.ts';
import { exchange, type Message } from './exchange.ts';
import { pinHost, type Resolve, systemResolve } from './pinned-host.ts';

/** How long one call may take in all, redirects included, when the caller does not say, ms. */
const TIMEOUT_MS = 10_000;
/** How many bytes of a reply are taken when the caller does not say. */
const MAX_REPLY_BYTES = 1_048_576;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** What is not told to another origin than the one it was meant for. */
const CREDENTIALS = new Set(['authorization', 'cookie', 'proxy-authorization']);

export interface EgressRequest {
  readonly url: string | URL;
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Bound of the whole call, ms. */
  readonly timeoutMs?: number;
  /** Bound of the reply's body, bytes. */
  readonly maxReplyBytes?: number;
  /** How many redirects of a GET or HEAD are followed, each judged like the first address. None by default. */
  readonly maxRedirects?: number;
  readonly signal?: AbortSignal;
}

export interface EgressReply {
  readonly status: number;
  /** Lower-case names; of a repeated header the values joined as HTTP says. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Where the reply came from, after redirects. */
  readonly url: string;
}

export interface EgressClientOptions extends EgressPolicy {
  /** Certificates (PEM) of authorities that are trusted besides the system's. */
  readonly ca?: string;
  readonly resolve?: Resolve;
}

/**
 * The one way to call something outside (EX-215): the name is resolved once, every answer is judged, the
 * connection goes to what was judged, and the reply is bounded in time and size. No environment variable,
 * no connection pool and no cookie takes part. A redirect that is not followed is given back as the reply.
 *
 * Raises `policy_denied` for what may not be called (final), `upstream_failed` for a peer that did not
 * answer in time or broke off (may pass), `too_large` for a reply above its bound, `canceled`.
 */
export class EgressClient {
  readonly #options: EgressClientOptions;

  constructor(options: EgressClientOptions = {}) {
    this.#options = options;
  }

  /** Judges an address without calling it, as a registration does. The call judges again. */
  async vet(url: string | URL): Promise<void> {
    await pinHost(vetUrl(url, this.#options), this.#options, this.#options.resolve ?? systemResolve);
  }

  async request(request: EgressRequest): Promise<EgressReply> {
    const { method = 'GET', maxRedirects = 0, timeoutMs = TIMEOUT_MS } = request;
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = request.signal === undefined ? timeout : AbortSignal.any([request.signal, timeout]);
    let url = vetUrl(request.url, this.#options);
    let headers = new Map(Object.entries(request.headers ?? {}).map(([k, v]) => [k.toLowerCase(), v]));
    for (let redirects = 0; ; redirects++) {
      const message: Message = {
        method,
        headers,
        body: request.body,
        maxReplyBytes: request.maxReplyBytes ?? MAX_REPLY_BYTES,
      };
      const reply = await bounded(signal, request.signal, url, timeoutMs, () =>
        this.#call(url, message, signal),
      );
      const next = redirects < maxRedirects ? redirectOf(reply, method) : null;
      if (next === null) return { ...reply, url: url.href };
      const to = vetUrl(new URL(next, url), this.#options);
      // A redirect never leads from a protected wire to a clear one.
      if (url.protocol === 'https:' && to.protocol === 'http:')
        throw new PalisadeError('policy_denied', `${url.host} redirects from https to http`);
      if (to.origin !== url.origin)
        headers = new Map([...headers].filter(([name]) => !CREDENTIALS.has(name)));
      url = to;
    }
  }

  async #call(url: URL, message: Message, signal: AbortSignal) {
    const host = await pinHost(url, this.#options, this.#options.resolve ?? systemResolve);
    return exchange(url, host.lookup, message, { signal, ca: this.#options.ca });
  }
}

/** Where a reply redirects to; null when it does not, or when following it would repeat an effect. */
function redirectOf(reply: Omit<EgressReply, 'url'>, method: string): string | null {
  if (!REDIRECTS.has(reply.status) || (method !== 'GET' && method !== 'HEAD')) return null;
  return reply.headers['location'] ?? null;
}

/** Ends a call when its time is over, also while a resolver is asked, which cannot be told to stop. */
async function bounded<T>(
  signal: AbortSignal,
  caller: AbortSignal | undefined,
  url: URL,
  timeoutMs: number,
  call: () => Promise<T>,
): Promise<T> {
  const aborted = (): PalisadeError =>
    caller?.aborted === true
      ? new PalisadeError('canceled', `the call of ${url.host} was stopped`)
      : new PalisadeError('upstream_failed', `${url.host} did not answer within ${timeoutMs} ms`);
  if (signal.aborted) throw aborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(aborted());
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([call(), promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

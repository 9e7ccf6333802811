import { errorCatalogue, type ErrorCode, foreignFault, PalisadeError } from '@palisade/contracts';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { originOf } from './origin.ts';

export interface RemoteOptions {
  /** `https://host` or, on this machine, `http://127.0.0.1:7420`; nothing behind the host. */
  readonly origin: string;
  /** A credential. It is sent to `origin` and nowhere else: redirects are not followed. */
  readonly token: string;
  /** The project that calls are about when they name no other. */
  readonly project?: string;
  /** How long a call that may succeed later is made again, ms; 30 s when absent. */
  readonly patienceMs?: number;
  readonly fetch?: typeof fetch;
}

/** One request to a server, which is made again until it is answered. */
export interface ServerRequest {
  readonly method: string;
  /** Path and query, encoded. */
  readonly target: string;
  /** JSON text. */
  readonly body?: string | undefined;
  /** Whether it changes anything; then every attempt carries the same idempotency key. */
  readonly isChange: boolean;
  readonly idempotencyKey?: string | undefined;
  /** Ends the waiting; what was sent may have been executed. */
  readonly signal?: AbortSignal | undefined;
}

const PATIENCE_MS = 30_000;
const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 5_000;

/**
 * Sends requests to a server, for every kind of client. One that got no answer, or an answer that says it may succeed later, is made again
 * for a while: a read because it changes nothing, a change because it carries an idempotency key and is executed once. Gives the object
 * that was answered; raises what the server raised, and `upstream_failed` when it cannot be reached.
 */
export function exchangeWith(options: RemoteOptions): (request: ServerRequest) => Promise<object> {
  const { token, patienceMs = PATIENCE_MS, fetch: send = fetch } = options;
  const origin = originOf(options.origin);
  return async ({ method, target, body, isChange, idempotencyKey, signal }) => {
    const headers: Record<string, string> = { Authorization: `Bearer ${token}` };
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    if (isChange) headers['Idempotency-Key'] = idempotencyKey ?? randomUUID();
    const request: RequestInit = {
      method,
      headers,
      redirect: 'error',
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    };
    const until = performance.now() + patienceMs;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LAST_PAUSE_MS, pause * 2)) {
      const answer = await attempt(send, `${origin}${target}`, request);
      signal?.throwIfAborted();
      if (answer.kind === 'answered') return answer.value;
      const wait = Math.max(answer.afterMs, pause * (0.5 + Math.random() / 2));
      if (!answer.mayRetry || performance.now() + wait > until) throw answer.error;
      await delay(wait, undefined, signal === undefined ? {} : { signal });
    }
  };
}

type Answer =
  | { readonly kind: 'answered'; readonly value: object }
  | {
      readonly kind: 'refused';
      readonly error: PalisadeError;
      readonly mayRetry: boolean;
      readonly afterMs: number;
    };

async function attempt(send: typeof fetch, url: string, request: RequestInit): Promise<Answer> {
  let status: number;
  let told: unknown;
  let afterMs = 0;
  try {
    const response = await send(url, request);
    status = response.status;
    afterMs = Number(response.headers.get('retry-after') ?? 0) * 1_000 || 0;
    told = await response.json();
  } catch (thrown) {
    return { kind: 'refused', error: unreachable(url, thrown), mayRetry: true, afterMs };
  }
  if (status === 200 && typeof told === 'object' && told !== null) return { kind: 'answered', value: told };
  const error = errorOf(status, told);
  return { kind: 'refused', error, mayRetry: error.facts.retryable, afterMs };
}

/** What a problem document says, as it would have been raised in process. */
function errorOf(status: number, told: unknown): PalisadeError {
  const { code, detail, why, next, issues } = (typeof told === 'object' && told !== null ? told : {}) as {
    [name: string]: unknown;
  };
  if (typeof code !== 'string' || !Object.hasOwn(errorCatalogue, code) || typeof detail !== 'string')
    return new PalisadeError('upstream_failed', `the server answered ${status}, which is no answer of ours`, {
      next: 'check the address of the server',
    });
  return new PalisadeError(code as ErrorCode, detail, {
    ...(typeof why === 'string' ? { why } : {}),
    ...(typeof next === 'string' ? { next } : {}),
    ...(Array.isArray(issues) ? { issues } : {}),
  });
}

function unreachable(url: string, thrown: unknown): PalisadeError {
  const cause: unknown = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
  return new PalisadeError(
    'upstream_failed',
    `no answer from ${new URL(url).origin}: ${foreignFault(cause)}`,
    {
      next: 'check that the server runs and its address is right',
    },
  );
}

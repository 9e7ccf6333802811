import { randomUUID } from 'node:crypto';
import {
  type ErrorCode,
  errorCatalogue,
  foreignFault,
  limits,
  PalisadeError,
  type PresentedSession,
  retryTemporary,
  SESSION_HEADER,
  SESSION_PROOF_HEADER,
} from '@palisade/contracts';
import { boundedJson, OversizedAnswer } from './bounded-json.ts';
import { originOf } from './origin.ts';

export interface RemoteOptions {
  /** `https://host` or, on this machine, `http://127.0.0.1:7420`; nothing behind the host. */
  readonly origin: string;
  /** A credential. It is sent to `origin` and nowhere else: redirects are not followed. */
  readonly token: string;
  /** The harness session that calls are made in. Its proof goes where the token goes. */
  readonly session?: PresentedSession;
  /** The project that calls are about when they name no other. */
  readonly project?: string;
  /** How long a call that may succeed later is made again, ms; 30 s when absent. */
  readonly patienceMs?: number;
  /** How long one attempt waits for its whole answer, ms; 120 s when absent. */
  readonly attemptMs?: number;
  /** Told before a call is made again. */
  readonly onRetry?: (error: PalisadeError) => void;
  /** Told when a call that was made again, or a stream that was opened again, is answered. */
  readonly onBack?: () => void;
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
  /** The harness session it is made in, in place of the one that all are made in. */
  readonly session?: PresentedSession | undefined;
  /** Ends the waiting; what was sent may have been executed. */
  readonly signal?: AbortSignal | undefined;
  /** Longest answer that is taken, bytes; 64 MiB when absent. */
  readonly answerBytes?: number | undefined;
}

/** Longest wait for an answer, ms: longer than the longest that a call can ask a server to wait. */
const ATTEMPT_MS = 120_000;
const PATIENCE_MS = 30_000;

/** Sends requests to one server in the name of one credential. */
export interface Sender {
  /** Makes one attempt. Raises `upstream_failed` when nothing is answered, and the reason of `signal`. */
  send(target: string, request: SentRequest, signal?: AbortSignal): Promise<Response>;
  /** Makes attempts until one is answered, as patiently as the options say. */
  patiently<T>(attempt: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  readonly attemptMs: number;
}

type SentRequest = Pick<RequestInit, 'method' | 'body'> & { readonly headers?: Record<string, string> };

/** Raises `invalid_input` for what is no origin. */
export function senderTo(options: RemoteOptions): Sender {
  const { token, patienceMs = PATIENCE_MS, attemptMs = ATTEMPT_MS, onRetry, onBack } = options;
  const { fetch: send = fetch } = options;
  const origin = originOf(options.origin);
  return {
    attemptMs,
    async patiently(attempt, signal) {
      let isAway = false;
      const told = (error: PalisadeError): void => {
        isAway = true;
        onRetry?.(error);
      };
      const answer = await retryTemporary(attempt, {
        patienceMs,
        signal,
        isTemporary: (error) => error.facts.retryable && !(error instanceof OversizedAnswer),
        onRetry: told,
      });
      if (isAway) onBack?.();
      return answer;
    },
    async send(target, { headers, ...request }, signal) {
      try {
        return await send(`${origin}${target}`, {
          ...request,
          headers: { Authorization: `Bearer ${token}`, ...sessionHeaders(options.session), ...headers },
          redirect: 'error',
          ...(signal === undefined ? {} : { signal }),
        });
      } catch (thrown) {
        throw unanswered(origin, thrown);
      }
    },
  };
}

/**
 * Sends requests to a server, for every kind of client. One that got no answer, or an answer that says it may succeed later, is made again
 * for a while (see {@link retryTemporary}): a read because it changes nothing, a change because it carries an idempotency key and is executed
 * once. Gives the object that was answered; raises what the server raised, `upstream_failed` when it cannot be reached, does not answer in
 * time or answers without an end, and the reason of the request's signal.
 */
export function exchangeWith(options: RemoteOptions): (request: ServerRequest) => Promise<object> {
  const sender = senderTo(options);
  return async ({ method, target, body, isChange, idempotencyKey, session, signal, answerBytes }) => {
    const request = {
      method,
      headers: {
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(isChange ? { 'Idempotency-Key': idempotencyKey ?? randomUUID() } : {}),
        ...sessionHeaders(session),
      },
      ...(body === undefined ? {} : { body }),
    };
    const attempt = async (): Promise<object> => {
      const late = AbortSignal.timeout(sender.attemptMs);
      try {
        const response = await sender.send(
          target,
          request,
          signal === undefined ? late : AbortSignal.any([late, signal]),
        );
        return await answerOf(response, options.origin, answerBytes);
      } catch (error) {
        signal?.throwIfAborted();
        throw error;
      }
    };
    return sender.patiently(attempt, signal);
  };
}

function sessionHeaders(presented: PresentedSession | undefined): Record<string, string> {
  if (presented === undefined) return {};
  const { session, proof } = presented;
  return { ...(session === undefined ? {} : { [SESSION_HEADER]: session }), [SESSION_PROOF_HEADER]: proof };
}

/** The object of an answer. Raises what a problem says, and `upstream_failed` for one that breaks off or is longer than any of a server. */
export async function answerOf(
  response: Response,
  origin: string,
  maxBytes: number = limits.answerBytes,
): Promise<object> {
  let told: unknown;
  try {
    told = await boundedJson(response, { origin: originOf(origin), maxBytes });
  } catch (thrown) {
    throw thrown instanceof OversizedAnswer ? thrown : unanswered(origin, thrown);
  }
  if (response.status === 200 && typeof told === 'object' && told !== null) return told;
  throw errorOf(response, told, originOf(origin));
}

/** What a problem document says, as it would have been raised in process. */
function errorOf({ status, headers }: Response, told: unknown, origin: string): PalisadeError {
  const afterMs = Number(headers.get('retry-after') ?? 0) * 1_000 || 0;
  const { code, detail, why, next, issues } = (typeof told === 'object' && told !== null ? told : {}) as {
    [name: string]: unknown;
  };
  if (typeof code !== 'string' || !Object.hasOwn(errorCatalogue, code) || typeof detail !== 'string')
    return new PalisadeError('upstream_failed', `${origin} answered ${status}, which is no answer of ours`, {
      next: 'check the address of the server',
    });
  return new PalisadeError(code as ErrorCode, detail, {
    origin,
    ...(typeof why === 'string' ? { why } : {}),
    ...(typeof next === 'string' ? { next } : {}),
    ...(Array.isArray(issues) ? { issues } : {}),
    ...(afterMs > 0 ? { retryAfterMs: afterMs } : {}),
  });
}

/** Faults that are told by their text alone, by `fetch` and here. */
const WITHOUT_CODE: ReadonlyMap<string, string> = new Map([
  ['bad port', 'no HTTP client uses that port'],
  ['unexpected redirect', 'it redirects, which is not followed'],
  ['the stream ended before it began', 'the stream ended before it began'],
]);

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : '';
}

/** The error for a request that got no whole answer. */
export function unanswered(origin: string, thrown: unknown): PalisadeError {
  const isLate = thrown instanceof Error && thrown.name === 'TimeoutError';
  const cause: unknown = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
  const why = isLate ? 'it took too long' : (WITHOUT_CODE.get(messageOf(cause)) ?? foreignFault(cause));
  return new PalisadeError('upstream_failed', `no answer from ${originOf(origin)}: ${why}`, {
    next: 'check that the server runs and its address is right',
  });
}

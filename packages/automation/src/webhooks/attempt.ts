import { type DeliveryReason, isPalisadeError, PRODUCT_VERSION } from '@palisade/contracts';
import type { EgressClient, SecretStore } from '@palisade/kernel';
import type { Message } from './delivery-store.ts';
import { type Endpoint, keyRefs } from './endpoint-store.ts';
import { keyOf, signatureHeaders } from './signature.ts';

/** How long one attempt may take in all (DI-083), and how much of an answer is read. */
const ATTEMPT_MS = 5_000;
const REPLY_BYTES = 16_384;
/** The longest pause that a receiver may ask for. */
const RETRY_AFTER_MS = 3_600_000;

export interface AttemptDeps {
  /** Those of one project. */
  readonly secrets: (project: string) => Pick<SecretStore, 'resolve'>;
  /** The one client for calls to the outside, with or without leave for private addresses. */
  readonly egress: (allowLocal: boolean) => Pick<EgressClient, 'request'>;
  /** How long an attempt may take, ms; tests shorten it. */
  readonly attemptMs?: number;
}

/** How one attempt went. Nothing that the peer said is in it but a number. */
export type Outcome =
  | { readonly what: 'delivered'; readonly status: number }
  | {
      /** `failed` may pass; `gone` and `refused` will not. */
      readonly what: 'failed' | 'gone' | 'refused';
      readonly reason: DeliveryReason;
      readonly status: number | null;
      /** How long the receiver asks to be left alone, ms. */
      readonly retryAfterMs: number;
    };

/** Sends a message once, signed now with what the endpoint's keys are now (FF-101). Never raises. */
export async function attempt(
  deps: AttemptDeps,
  endpoint: Endpoint,
  message: Message,
  now: number,
  stop: AbortSignal,
): Promise<Outcome> {
  const timeout = AbortSignal.timeout(deps.attemptMs ?? ATTEMPT_MS);
  let isReady = false;
  try {
    const headers = await headersOf(deps, endpoint, message, now);
    isReady = true;
    const { status, headers: answered } = await deps.egress(endpoint.allowPrivate).request({
      url: endpoint.url,
      method: 'POST',
      headers,
      body: Buffer.from(message.body),
      timeoutMs: 2 * ATTEMPT_MS,
      maxReplyBytes: REPLY_BYTES,
      signal: AbortSignal.any([timeout, stop]),
    });
    if (status >= 200 && status < 300) return { what: 'delivered', status };
    const retryAfterMs = retryAfter(answered['retry-after'], now);
    return { what: status === 410 ? 'gone' : 'failed', reason: 'http-status', status, retryAfterMs };
  } catch (error) {
    const failed = (reason: DeliveryReason, what: 'failed' | 'refused' = 'failed'): Outcome => ({
      what,
      reason,
      status: null,
      retryAfterMs: 0,
    });
    // A key or token that cannot be had: nothing was sent.
    if (!isReady || stop.aborted) return failed('aborted');
    if (timeout.aborted) return failed('timeout');
    if (isPalisadeError(error, 'policy_denied')) return failed('refused', 'refused');
    // The receiver answered, and with too much: what it said of the message is not known.
    return failed('network');
  }
}

async function headersOf(
  { secrets }: AttemptDeps,
  endpoint: Endpoint,
  message: Message,
  now: number,
): Promise<Record<string, string>> {
  const refs = keyRefs(endpoint, now);
  const values = await secrets(endpoint.project).resolve([
    ...refs,
    ...(endpoint.bearer === null ? [] : [endpoint.bearer]),
  ]);
  const bearer = endpoint.bearer === null ? undefined : values.at(-1);
  return {
    'content-type': 'application/json',
    'user-agent': `palisade/${PRODUCT_VERSION}`,
    ...signatureHeaders(message, values.slice(0, refs.length).map(keyOf), now),
    ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
  };
}

/** `Retry-After` in seconds or as a date (RFC 9110 §10.2.3), within bounds; 0 when there is none. */
function retryAfter(value: string | undefined, now: number): number {
  if (value === undefined) return 0;
  const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isFinite(ms) ? Math.min(RETRY_AFTER_MS, Math.max(0, ms)) : 0;
}

/** Pause before attempt number `attempt + 1`: full jitter under 5 s, four times as much each time, up to 6 hours. */
export function pauseMs(attempt: number, random: () => number): number {
  return Math.floor(random() * Math.min(6 * 3_600_000, 5_000 * 4 ** (attempt - 1)));
}

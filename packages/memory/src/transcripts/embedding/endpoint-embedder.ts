import { setTimeout as delay } from 'node:timers/promises';
import { PalisadeError } from '@palisade/contracts';
import * as z from 'zod';
import type { Embedder } from './embedder.ts';

/** Requests for one answer, the first among them (L-21). */
const MAX_TRIES = 10;
const MAX_WAIT_MS = 30_000;
/** What a server asks to wait for longer ends the call; what is done is kept. */
const MAX_ASKED_MS = 5 * 60_000;
const REQUEST_MS = 120_000;

const Answer = z.object({
  data: z.array(z.object({ index: z.int().nonnegative(), embedding: z.array(z.number()).min(1) })),
});

export interface EndpointOptions {
  readonly provider: string;
  readonly model: string;
  /** With its version, such as `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly key?: string | undefined;
  readonly fetch?: typeof fetch;
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Vectors from an endpoint that speaks as OpenAI's does: `POST <base>/embeddings` (WM-060). */
export function endpointEmbedder(options: EndpointOptions): Embedder {
  const { provider, model } = options;
  return {
    provider,
    model,
    piece: { length: 6000, overlap: 600 },
    async embed(texts, signal) {
      const { data } = Answer.parse(await asked(options, { model, input: texts }, signal));
      const vectors = data.toSorted((one, other) => one.index - other.index);
      if (vectors.length !== texts.length)
        throw new PalisadeError(
          'provider_failed',
          `${provider} gave ${vectors.length} vectors of ${texts.length} texts`,
        );
      return vectors.map(({ embedding }) => Float32Array.from(embedding));
    },
  };
}

async function asked(options: EndpointOptions, body: object, signal: AbortSignal): Promise<unknown> {
  const { baseUrl, key, provider, fetch: call = fetch, wait = patience } = options;
  for (let tries = 1; ; tries++) {
    let problem: string;
    let asksMs: number | undefined;
    try {
      const response = await call(`${baseUrl.replace(/\/+$/, '')}/embeddings`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        },
        body: JSON.stringify(body),
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]),
      });
      if (response.ok) return await response.json();
      // What an endpoint says may repeat what was sent to it, so only the number is told.
      problem = `${provider} answered ${response.status}`;
      asksMs = askedWait(response.headers.get('retry-after'), await response.text());
      if (response.status !== 429 && response.status < 500)
        throw new PalisadeError('provider_failed', problem, {
          next: 'look at PALISADE_EMBED_BASE_URL, PALISADE_EMBED_MODEL and PALISADE_EMBED_API_KEY',
        });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof PalisadeError) throw error;
      problem = `${provider} cannot be reached`;
    }
    if (tries >= MAX_TRIES || (asksMs ?? 0) > MAX_ASKED_MS)
      throw new PalisadeError('provider_failed', problem, {
        why: tries >= MAX_TRIES ? `after ${tries} tries` : 'it asks to wait for longer than five minutes',
        next: 'the same command goes on where it ended',
      });
    await wait(asksMs ?? Math.min(MAX_WAIT_MS, 1000 * 2 ** tries), signal);
  }
}

async function patience(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal });
}

/** How long a server asks to wait, in its header (seconds or a date) or in its words (L-21). */
function askedWait(header: string | null, words: string): number | undefined {
  const inWords = /try again in ([0-9.]{1,10})(ms|s)/i.exec(words);
  const seconds = header === null ? Number.NaN : Number(header);
  const until = header === null ? Number.NaN : Date.parse(header) - Date.now();
  const ms = Number.isFinite(seconds)
    ? seconds * 1000
    : Number.isFinite(until)
      ? until
      : inWords === null
        ? Number.NaN
        : Number(inWords[1]) * (inWords[2]?.toLowerCase() === 'ms' ? 1 : 1000);
  return Number.isFinite(ms) && ms >= 0 ? ms : undefined;
}

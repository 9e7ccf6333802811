import { isPalisadeError, PalisadeError } from '@palisade/contracts';
import type { Exchange } from './exchange.ts';

/** Longest body of an operation that states no other. */
export const BODY_BYTES = 1024 * 1024;

/** Deepest nesting of a request: deep enough for every input, and far from what any parser of it may recurse. */
export const MAX_DEPTH = 100;

/** A body that was read: what it says, and how long it is. */
export interface ReadBody {
  /** Undefined when there is none. */
  readonly value: unknown;
  readonly bytes: number;
}

/** Room for most bodies; one that is larger gets twice as much each time, so that it costs no more in small parts than in one. */
const FIRST_BYTES = 16 * 1024;

/**
 * The JSON of a request's body. It is read no further than `maxBytes` and than what its caller may hold, is never decompressed, and its
 * nesting is counted before anything parses it. Raises `too_large`, `unsupported_media_type`, `invalid_input`, and what an exchange raises.
 */
export async function readJsonBody(
  request: Request,
  maxBytes: number,
  exchange: Pick<Exchange, 'holdBytes' | 'inTurn'>,
): Promise<ReadBody> {
  const bytes = await readBytes(request, maxBytes, 'application/json', exchange);
  if (bytes === undefined) return { value: undefined, bytes: 0 };
  return { value: await exchange.inTurn(bytes.length, () => parsed(bytes)), bytes: bytes.length };
}

/** The bytes of a body of one media type, or undefined when there is none; see {@link readJsonBody}. */
export async function readBytes(
  request: Request,
  maxBytes: number,
  mediaType: string,
  exchange: Pick<Exchange, 'holdBytes'>,
): Promise<Uint8Array | undefined> {
  const announced = Number(request.headers.get('content-length') ?? Number.NaN);
  if (announced > maxBytes) throw tooLarge(maxBytes);
  if (request.method === 'GET' || request.method === 'HEAD') return undefined;
  // For `body` a request of another kind is made, with a stream: a tenth of the time of a small change.
  const body = announced <= FIRST_BYTES ? undefined : request.body;
  if (body === null) return undefined;
  const encoding = request.headers.get('content-encoding') ?? 'identity';
  if (encoding !== 'identity')
    throw new PalisadeError('unsupported_media_type', 'bodies are not decompressed', {
      next: 'send the body without Content-Encoding',
    });
  const bytes =
    body === undefined
      ? await readShort(request, announced, exchange)
      : await readAll(body, maxBytes, exchange);
  if (bytes.length === 0) return undefined;
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== mediaType)
    throw new PalisadeError('unsupported_media_type', `the body must be ${mediaType}`, {
      next: `send Content-Type: ${mediaType}`,
    });
  return bytes;
}

/** Text as UTF-8 says it. Raises `invalid_input` for bytes that are none. */
export function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new PalisadeError('invalid_input', 'the body is not UTF-8');
  }
}

function parsed(bytes: Uint8Array): unknown {
  const text = textOf(bytes);
  if (isDeep(text)) throw new PalisadeError('too_large', `the body nests deeper than ${MAX_DEPTH}`);
  try {
    return JSON.parse(text, SURROGATE.test(text) ? assertWhole : undefined);
  } catch (error) {
    throw isPalisadeError(error) ? error : new PalisadeError('invalid_input', 'the body is not JSON');
  }
}

/** An escape that is half a character unless its other half follows. */
const SURROGATE = /\\u[dD][89a-fA-F]/;

/** Half a character is no text in UTF-8: neither the database nor a canonical form could keep it (FF-072). */
function assertWhole(name: string, value: unknown): unknown {
  if (name.isWellFormed() && (typeof value !== 'string' || value.isWellFormed())) return value;
  throw new PalisadeError('invalid_input', 'the body holds half a character', {
    why: String.raw`an escape from \ud800 to \udfff stands there without its other half`,
  });
}

/** A body of a length that was announced, which is the length that HTTP keeps it to. */
async function readShort(
  request: Request,
  length: number,
  exchange: Pick<Exchange, 'holdBytes'>,
): Promise<Uint8Array> {
  exchange.holdBytes(length);
  try {
    return new Uint8Array(await request.arrayBuffer());
  } catch (error) {
    throw brokeOff(error);
  }
}

async function readAll(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  exchange: Pick<Exchange, 'holdBytes'>,
): Promise<Uint8Array> {
  let bytes = Buffer.allocUnsafe(FIRST_BYTES);
  let size = 0;
  try {
    for await (const part of body) {
      // Leaving the loop cancels the stream: the rest is not taken from the socket.
      if (size + part.length > maxBytes) throw tooLarge(maxBytes);
      exchange.holdBytes(size + part.length);
      if (size + part.length > bytes.length)
        bytes = Buffer.concat([bytes], Math.max(size + part.length, 2 * bytes.length));
      bytes.set(part, size);
      size += part.length;
    }
  } catch (error) {
    if (isPalisadeError(error)) throw error;
    throw brokeOff(error);
  }
  return bytes.subarray(0, size);
}

/** Its client left, or was too slow: no fault of ours, and nobody reads the answer. */
function brokeOff(cause: unknown): PalisadeError {
  return new PalisadeError('invalid_input', 'the body broke off', { cause });
}

function tooLarge(maxBytes: number): PalisadeError {
  return new PalisadeError('too_large', `the body is larger than ${maxBytes} bytes`);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** True when brackets outside of strings nest deeper than {@link MAX_DEPTH}. */
function isDeep(text: string): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === QUOTE) {
      for (i++; i < text.length && text.charCodeAt(i) !== QUOTE; i++)
        if (text.charCodeAt(i) === BACKSLASH) i++;
    } else if (c === 0x5b || c === 0x7b) {
      if (++depth > MAX_DEPTH) return true;
    } else if (c === 0x5d || c === 0x7d) depth--;
  }
  return false;
}

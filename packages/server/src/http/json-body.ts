import { isPalisadeError, PalisadeError } from '@palisade/contracts';

/** Longest body of an operation that states no other. */
export const BODY_BYTES = 1024 * 1024;

/** Deepest nesting of a request: deep enough for every input, and far from what any parser of it may recurse. */
export const MAX_DEPTH = 100;

/**
 * The JSON of a request's body, or undefined when there is none. It is read no further than `maxBytes`, is never decompressed, and its
 * nesting is counted before anything parses it. Raises `too_large`, `unsupported_media_type` or `invalid_input`.
 */
export async function readJsonBody(request: Request, maxBytes: number): Promise<unknown> {
  const text = await readText(request, maxBytes, 'application/json');
  if (text === undefined) return undefined;
  if (isDeep(text)) throw new PalisadeError('too_large', `the body nests deeper than ${MAX_DEPTH}`);
  try {
    return JSON.parse(text, SURROGATE.test(text) ? assertWhole : undefined);
  } catch (error) {
    throw isPalisadeError(error) ? error : new PalisadeError('invalid_input', 'the body is not JSON');
  }
}

/** The text of a body of one media type, or undefined when there is none; see {@link readJsonBody}. */
export async function readText(
  request: Request,
  maxBytes: number,
  mediaType: string,
): Promise<string | undefined> {
  const announced = Number(request.headers.get('content-length') ?? 0);
  if (announced > maxBytes) throw tooLarge(maxBytes);
  if (request.body === null) return undefined;
  const encoding = request.headers.get('content-encoding') ?? 'identity';
  if (encoding !== 'identity')
    throw new PalisadeError('unsupported_media_type', 'bodies are not decompressed', {
      next: 'send the body without Content-Encoding',
    });
  const bytes = await readAll(request.body, maxBytes);
  if (bytes.length === 0) return undefined;
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== mediaType)
    throw new PalisadeError('unsupported_media_type', `the body must be ${mediaType}`, {
      next: `send Content-Type: ${mediaType}`,
    });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new PalisadeError('invalid_input', 'the body is not UTF-8');
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

async function readAll(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.length;
    // Leaving the loop cancels the stream: the rest is not taken from the socket.
    if (size > maxBytes) throw tooLarge(maxBytes);
    parts.push(part);
  }
  return Buffer.concat(parts);
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

import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { ModelCredential, ModelWire } from '@palisade/contracts';

/** Belong to one connection, not to the message (RFC 9110 §7.6.1). */
const OF_THE_CONNECTION = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
];
/** Never passed to the endpoint: credentials of the sandbox's making, and what would tell or ask for a route. */
const NOT_UP = new Set([
  ...OF_THE_CONNECTION,
  'host',
  'authorization',
  'x-api-key',
  'api-key',
  'cookie',
  'forwarded',
  'via',
  'accept-encoding',
]);
/** Never passed to the sandbox. The length is another one when the body has to be cleaned. */
const NOT_DOWN = new Set([
  ...OF_THE_CONNECTION,
  'content-length',
  'content-encoding',
  'set-cookie',
  'alt-svc',
  'location',
  'www-authenticate',
]);

/** The credential a program of the sandbox sent, in either of the two ways; null without one. */
export function credentialOf(headers: IncomingHttpHeaders): string | null {
  const key = headers['x-api-key'];
  if (typeof key === 'string') return key;
  return /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}

/** The headers for the endpoint, with the real credential. Bodies are asked for as they are, so that they can be cleaned. */
export function upwardHeaders(
  headers: IncomingHttpHeaders,
  wire: ModelWire,
  credential: ModelCredential,
  secret: string,
): OutgoingHttpHeaders {
  const isKeyHeader = wire === 'anthropic' && credential === 'api-key';
  return {
    ...without(headers, NOT_UP, /^x-forwarded-/),
    'accept-encoding': 'identity',
    ...(isKeyHeader ? { 'x-api-key': secret } : { authorization: `Bearer ${secret}` }),
  };
}

/** The headers for the sandbox; `clean` removes the secret from a value. */
export function downwardHeaders(
  headers: IncomingHttpHeaders,
  clean: (text: string) => string,
): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(without(headers, NOT_DOWN)).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(clean) : clean(value ?? ''),
    ]),
  );
}

function without(
  headers: IncomingHttpHeaders,
  names: ReadonlySet<string>,
  prefix?: RegExp,
): Record<string, string | string[] | undefined> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !names.has(name) && prefix?.test(name) !== true),
  );
}

import fc from 'fast-check';

/** A request as bytes go to a server: nothing here is corrected by a client on the way. */
export interface WireRequest {
  readonly method: string;
  /** Path and query exactly as they are sent. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** A request whose parts are still apart, as it was generated from the document. */
export interface PartedRequest {
  readonly method: string;
  /** As OpenAPI writes it. */
  readonly path: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** The request on the wire, with nothing wrong. */
export function wired(parts: PartedRequest): WireRequest {
  const path = parts.path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) =>
    encodeURIComponent(String(parts.params[name]).toWellFormed()),
  );
  const query = queryOf(parts.query);
  return {
    method: parts.method,
    target: query === '' ? path : `${path}?${query}`,
    headers: parts.headers,
    ...(parts.body === undefined ? {} : { body: Buffer.from(JSON.stringify(parts.body)) }),
  };
}

function queryOf(fields: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields))
    for (const each of Array.isArray(value) ? value : [value]) query.append(name, String(each));
  return query.toString();
}

const WRONG_VALUES = [
  'null',
  'true',
  '-0',
  '1e308',
  '1e400',
  '9007199254740993',
  '-9223372036854775809',
  '0.1',
  '""',
  '"\\ud800"',
  '"a\\udc00b"',
  '"\\u0000"',
  '"\\ufeff"',
  '"../../x"',
  '"x\'); DROP TABLE runs; --"',
  '"%"',
  '"‮a"',
  '[]',
  '{}',
  '[[[[[]]]]]',
  '{"__proto__": {"a": 1}}',
  '{"constructor": {"prototype": 1}}',
  '{"toString": null}',
  '{"toJSON": 1}',
  '{"": ""}',
];
const MORE_KEYS = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'project',
  'extra',
  '',
  '\\ud800',
  'length',
];
const PATH_PARTS = [
  '%2e%2e%2f%2e%2e',
  '..%2f',
  '%2e',
  '..',
  '%00',
  '%ff',
  '%',
  '%zz',
  '%ED%A0%80',
  'a%2Fb',
  ';a=b',
  '%25',
  '*',
  ':run',
  '%F0%9F%92%A9',
  '__proto__',
  'constructor',
  'x'.repeat(3_000),
  '%5c..%5c',
  '%0d%0aX:%20y',
  "'",
  '%E2%80%AE',
  '{run}',
];
const QUERIES = [
  '__proto__=1',
  'constructor=1',
  'limit=1&limit=2',
  'limit=1e9',
  'limit=-1',
  'limit=0x10',
  'cursor=',
  'cursor=%ff',
  '%',
  'a[b]=1',
  'a[]=1',
  '&&&',
  '=',
  '%00=1',
  'limit=99999999999999999999',
  'project=x',
  '+=+',
  'cursor=AAAA',
  'x=%ED%A0%80',
  'after=-1',
  'since=1.5',
  'dry_run=maybe',
  'dry_run=true&dry_run=false',
];
const BODIES = [
  '',
  '{',
  '[]',
  'null',
  '"x"',
  '0',
  '{"a": 1} x',
  '\ufeff{}',
  '{"a": 1, "a": 2}',
  '[1,2',
  `{"a": ${'['.repeat(150)}`,
  `{"a": ${'{"b": '.repeat(99)}1${'}'.repeat(100)}`,
  '\u0000',
  '{"a": NaN}',
  "{'a': 1}",
  '{"dry_run": "true"}',
];
const HEADERS: readonly Readonly<Record<string, string>>[] = [
  { 'Content-Type': 'text/plain' },
  { 'Content-Type': 'application/json; charset=utf-16' },
  { 'Content-Encoding': 'gzip' },
  { 'Content-Type': '' },
  { 'Idempotency-Key': '' },
  { 'Idempotency-Key': 'x'.repeat(201) },
  { 'Idempotency-Key': 'a b' },
  { 'Idempotency-Key': '__proto__' },
  { 'X-HTTP-Method-Override': 'DELETE' },
  { Accept: 'text/html' },
  { Range: 'bytes=0-1' },
  { 'If-None-Match': '*' },
  { Expect: '100-continue' },
  { 'Accept-Encoding': 'br' },
  { Host: 'evil.test' },
  { Host: '%' },
  { 'X-Forwarded-Proto': 'https' },
  { Upgrade: 'websocket', Connection: 'Upgrade' },
];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE'];

/** A request with one thing wrong. */
export function broken(parts: PartedRequest): fc.Arbitrary<WireRequest> {
  const wire = wired(parts);
  const [path = '', query = ''] = wire.target.split('?');
  const segments = path.split('/');
  const withQuery = (more: string): WireRequest => ({
    ...wire,
    target: `${path}?${query === '' ? '' : `${query}&`}${more}`,
  });
  return fc.oneof(
    fc.constantFrom(...METHODS).map((method) => ({ ...wire, method })),
    fc.constantFrom(...QUERIES).map(withQuery),
    fc.tuple(fc.nat(segments.length - 1), fc.constantFrom(...PATH_PARTS)).map(([at, part]) => ({
      ...wire,
      target: segments.with(at === 0 ? 1 : at, part).join('/'),
    })),
    fc.constantFrom('/', '//', '/./', '/%2e/', '/../').map((end) => ({ ...wire, target: `${path}${end}` })),
    fc.constantFrom(...HEADERS).map((headers) => ({ ...wire, headers: { ...wire.headers, ...headers } })),
    fc.constantFrom(...BODIES).map((body) => ({ ...wire, body: Buffer.from(body) })),
    fc.uint8Array({ maxLength: 40 }).map((body) => ({ ...wire, body: Buffer.from(body) })),
    { arbitrary: brokenBody(wire, parts.body), weight: 4 },
  );
}

/** The same with one member of its body missing, more, twice or of another kind; written as text, since no object could say all of it. */
function brokenBody(wire: WireRequest, body: PartedRequest['body']): fc.Arbitrary<WireRequest> {
  if (body === undefined) return fc.constant(wire);
  const members = Object.entries(body).map(
    ([name, value]) => [JSON.stringify(name), JSON.stringify(value)] as const,
  );
  const told = (some: readonly (readonly [string, string | undefined])[]): WireRequest => ({
    ...wire,
    body: Buffer.from(`{${some.map(([name, value]) => `${name}: ${value ?? 'null'}`).join(', ')}}`),
  });
  const at = fc.nat(Math.max(0, members.length - 1));
  const value = fc.constantFrom(...WRONG_VALUES);
  return fc.oneof(
    fc
      .tuple(fc.constantFrom(...MORE_KEYS), value)
      .map(([key, wrong]) => told([...members, [`"${key}"`, wrong]])),
    at.map((index) => told(members.filter((_, i) => i !== index))),
    {
      arbitrary: fc
        .tuple(at, value)
        .map(([index, wrong]) =>
          told(members.map(([name, right], i) => [name, i === index ? wrong : right])),
        ),
      weight: 3,
    },
  );
}

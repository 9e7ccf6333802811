import type { ModelWire } from '@palisade/contracts';

/** What of a wire the relay passes on; everything else does not exist. */
const ROUTES: Readonly<Record<ModelWire, readonly string[]>> = {
  anthropic: ['/v1/messages', '/v1/messages/count_tokens'],
  openai: ['/v1/responses', '/v1/chat/completions'],
};

/** Options of the wire in a query, e.g. `beta=true`. Nothing that could be a credential or a path fits. */
const QUERY = /^(?:[a-z_]{1,32}=[A-Za-z0-9_.-]{0,64}(?:&|$)){1,8}$/;

export type RouteVerdict =
  | { readonly kind: 'hello' }
  | { readonly kind: 'forward'; readonly path: string }
  | { readonly kind: 'unknown' };

/**
 * What becomes of a request. `hello` is the `HEAD /` with which programs look whether somebody is there;
 * the relay answers it itself. `path` is what to ask the endpoint for, query included.
 */
export function routeOf(
  wire: ModelWire,
  method: string | undefined,
  target: string | undefined,
): RouteVerdict {
  if (method === 'HEAD' && target === '/') return { kind: 'hello' };
  const [path = '', query] = (target ?? '').split('?');
  const passes =
    method === 'POST' && ROUTES[wire].includes(path) && (query === undefined || QUERY.test(query));
  return passes ? { kind: 'forward', path: target ?? path } : { kind: 'unknown' };
}

/** What a refused program may ask for, for the answer it gets (FF-136). */
export function allowedRoutes(wire: ModelWire): string {
  return ROUTES[wire].map((path) => `POST ${path}`).join(', ');
}

/**
 * Where a path of the wire is at the endpoint. Base addresses are written with and without the version
 * that every path begins with; both mean the same.
 */
export function endpointUrl(base: string, path: string): URL {
  const url = new URL(base);
  const prefix = url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '');
  return new URL(`${prefix}${path}`, url);
}

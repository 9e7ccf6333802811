import { declaredOperations, PalisadeError } from '@palisade/contracts';
import createClient, { type Client, defaultPathSerializer } from 'openapi-fetch';
import { exchangeWith, type RemoteOptions } from './exchange.ts';
import type { paths } from './generated/openapi.ts';

/** A client of the whole HTTP API, typed by its OpenAPI document: `client.GET('/v1/projects/{project}/runs', …)`. */
export type TypedClient = Client<paths>;

const LONGEST_ANSWER = Math.max(...declaredOperations().map(({ answerBytes = 0 }) => answerBytes));

/**
 * A client of the HTTP API by its paths, for whoever would rather not name operations. It waits, repeats and keys calls as
 * {@link exchangeWith} says: `data` is the answer, and a refusal is raised as the `PalisadeError` that the server raised, never told as
 * `error`. Every call that is no GET carries an idempotency key, its caller's own where it gives one.
 */
export function typedClient(options: RemoteOptions): TypedClient {
  const exchange = exchangeWith(options);
  return createClient<paths>({
    baseUrl: options.origin,
    pathSerializer(path, params) {
      // Every URL parser walks these, also encoded: it would be the address of something else.
      for (const [name, value] of Object.entries(params))
        if (value === '' || value === '.' || value === '..')
          throw new PalisadeError('invalid_input', `${name} may not be ${JSON.stringify(value)}`);
      return defaultPathSerializer(path, params);
    },
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const answer = await exchange({
        method: request.method,
        target: `${pathname}${search}`,
        body: request.body === null ? undefined : await request.text(),
        isChange: request.method !== 'GET',
        idempotencyKey: request.headers.get('Idempotency-Key') ?? undefined,
        signal: request.signal,
        answerBytes: LONGEST_ANSWER,
      });
      return Response.json(answer);
    },
  });
}

import {
  type Access,
  documentedCodes,
  errorCatalogue,
  isKeyed,
  nameOf,
  type Operation,
  placeholdersOf,
  PRODUCT_VERSION,
  Scope,
  takesBody,
} from '@palisade/contracts';
import * as z from 'zod';
import { PARAMETER_WORDS, TAG_WORDS } from './openapi-words.ts';

type Schema = Record<string, unknown>;

/** The OpenAPI 3.1 document of operations: nothing in it is written by hand. */
export function openapiOf(operations: readonly Operation[]): Schema {
  const components: Components = { schemas: new Map([['Problem', PROBLEM]]), responses: new Map() };
  const paths: Record<string, Schema> = {};
  for (const operation of operations) {
    const path = (paths[operation.path] ??= {});
    path[operation.method.toLowerCase()] = describe(operation, components);
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Palisade',
      version: PRODUCT_VERSION,
      description:
        'Every change needs an Idempotency-Key, but those that need no credential: the same key with the same request is answered as before and not executed again.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }, { session: [] }],
    tags: [...new Set(operations.map(tagOf))].toSorted().map((name) => ({ name, ...said(TAG_WORDS, name) })),
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: `A credential with scopes: ${Scope.options.join(', ')}.`,
        },
        reporter: {
          type: 'http',
          scheme: 'bearer',
          description:
            '`palr_`, the 32 hex digits of the id of a reporter, a dot and its proof. It is good for the paths of that reporter alone, and sent without headers of a harness session.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-palisade-session',
          description:
            'A person who signed in. Changes also need `Origin`, exactly that of the server, and `X-CSRF-Token`. Beside a bearer token it counts for nothing.',
        },
      },
      headers: REPLY_HEADERS,
      parameters: { IdempotencyKey: IDEMPOTENCY_KEY },
      responses: sorted(components.responses),
      schemas: sorted(components.schemas),
    },
  };
}

interface Components {
  readonly schemas: Map<string, Schema>;
  readonly responses: Map<string, Schema>;
}

function sorted(named: ReadonlyMap<string, Schema>): Schema {
  return Object.fromEntries([...named].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function tagOf({ id }: Operation): string {
  return id.slice(0, id.indexOf('.'));
}

function describe(operation: Operation, components: Components): Schema {
  const { summary, access } = operation;
  const input = schemaOf(operation, 'input', components);
  const properties = (input['properties'] ?? {}) as Record<string, Schema>;
  const required = new Set((input['required'] ?? []) as string[]);
  const named = placeholdersOf(operation);
  const left = Object.entries(properties).filter(([name]) => !named.includes(name));
  const inQuery = !takesBody(operation);
  return {
    operationId: nameOf(operation),
    tags: [tagOf(operation)],
    summary,
    ...needsOf(access),
    parameters: [
      ...named.map((name) => ({
        name,
        in: 'path',
        required: true,
        ...said(PARAMETER_WORDS, name),
        schema:
          name === 'project' ? { type: 'string', maxLength: 128 } : (properties[name] ?? { type: 'string' }),
      })),
      ...(inQuery
        ? left.map(([name, schema]) => ({
            name,
            in: 'query',
            required: required.has(name),
            // What its declaration says of it is nearer than what its name means everywhere.
            ...('description' in schema
              ? { description: schema['description'] }
              : said(PARAMETER_WORDS, name)),
            schema,
          }))
        : []),
      ...(isKeyed(operation) ? [ref('parameters', 'IdempotencyKey')] : []),
    ],
    ...(inQuery
      ? {}
      : {
          requestBody: {
            required: left.some(([name]) => required.has(name)),
            content: json({
              ...input,
              properties: Object.fromEntries(left),
              required: left.map(([name]) => name).filter((name) => required.has(name)),
            }),
          },
        }),
    responses: {
      200: {
        description: 'The answer',
        headers: replyHeaders,
        content: answerOf(operation, components),
      },
      ...problemsOf(operation, components),
    },
  };
}

function needsOf(access: Access): Schema {
  if (access === 'anonymous') return { description: 'Needs no credential.', security: [] };
  if (access === 'reporter')
    return { description: 'Needs the bearer of that reporter.', security: [{ reporter: [] }] };
  return { description: `Needs the scope \`${access}\`.` };
}

/** The body of an answer: JSON, or a stream of events whose data are frames. */
function answerOf(operation: Operation, components: Components): Schema {
  const { frame } = operation;
  if (frame === undefined) return json(schemaOf(operation, 'output', components));
  return {
    'text/event-stream': { schema: schemaOf({ ...operation, output: frame }, 'output', components) },
  };
}

const said = (words: Readonly<Record<string, string>>, name: string): Schema =>
  Object.hasOwn(words, name) ? { description: words[name] } : {};

/** Replies by status, each with the codes that it can carry; operations with the same codes share them. */
function problemsOf(operation: Operation, { responses }: Components): Record<string, Schema> {
  const byStatus = Map.groupBy(documentedCodes(operation), (code) => errorCatalogue[code].status);
  return Object.fromEntries(
    [...byStatus]
      .toSorted(([a], [b]) => a - b)
      .map(([status, some]) => {
        const name = `Problem_${status}_${some.join('_')}`;
        responses.set(name, {
          description: some.join(', '),
          headers: replyHeaders,
          content: {
            'application/problem+json': {
              schema: { allOf: [ref('schemas', 'Problem'), { properties: { code: { enum: some } } }] },
            },
          },
        });
        return [String(status), ref('responses', name)];
      }),
  );
}

/** A schema of an operation; what it refers to goes to the components, under names of the operation's own. */
function schemaOf(operation: Operation, io: 'input' | 'output', { schemas }: Components): Schema {
  const { input, output } = operation;
  const told = z.toJSONSchema(io === 'input' ? input : output, { io, unrepresentable: 'any' });
  const { $schema: _, $defs = {}, ...schema } = told as Schema & { $defs?: Record<string, Schema> };
  // What a schema names itself is the same for all; other definitions belong to this operation.
  const prefix = `${nameOf(operation)}_${io}`;
  const moved = (part: Schema): Schema =>
    JSON.parse(
      JSON.stringify(part)
        .replaceAll('"#/$defs/__', `"#/components/schemas/${prefix}__`)
        .replaceAll('"#/$defs/', '"#/components/schemas/'),
    ) as Schema;
  for (const [name, definition] of Object.entries($defs))
    schemas.set(name.startsWith('__') ? `${prefix}${name}` : name, moved(definition));
  return moved(schema);
}

const json = (schema: Schema) => ({ 'application/json': { schema } });

const REPLY_HEADERS = {
  'Request-Id': { schema: { type: 'string' }, description: 'Names this request in the log' },
  'Server-Time': {
    schema: { type: 'string', format: 'date-time' },
    description: 'For correlation alone: no lease is judged by it',
  },
};

const ref = (kind: 'headers' | 'parameters' | 'responses' | 'schemas', name: string): Schema => ({
  $ref: `#/components/${kind}/${name}`,
});
const replyHeaders = Object.fromEntries(
  Object.keys(REPLY_HEADERS).map((name) => [name, ref('headers', name)]),
);

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: true,
  description: 'Random, and the same again when the call is repeated because its answer was lost',
  schema: { type: 'string', minLength: 1, maxLength: 200, pattern: '^[\\x21-\\x7e]+$' },
};

const PROBLEM: Schema = {
  type: 'object',
  description: 'RFC 9457 problem document',
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string' },
    request_id: { type: 'string' },
    retryable: { type: 'boolean', description: 'Whether the same call may succeed later unchanged' },
    why: { type: 'string' },
    next: { type: 'string', description: 'The action that helps' },
    help_path: { type: 'string', description: 'Where it is said how to get a credential' },
    issues: {
      type: 'array',
      items: {
        type: 'object',
        properties: { path: { type: 'string' }, message: { type: 'string' } },
        required: ['path', 'message'],
      },
    },
  },
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id', 'retryable'],
};

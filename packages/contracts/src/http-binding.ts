import * as z from 'zod';
import { PalisadeError } from './errors.ts';
import { isOfProject, type Operation } from './operation.ts';

/* How an operation's input is told in an HTTP request, in both directions: fields named in the path stand there, the others in the query of GET and DELETE, and in the JSON body of POST and PUT. */

const PLACEHOLDER = /\{([a-z_]+)\}/g;

/** The names in braces of an operation's path, the project's among them. */
export function placeholdersOf({ path }: Operation): string[] {
  return [...path.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
}

/** True when the fields that the path does not name stand in a JSON body; else they stand in the query. */
export function takesBody({ method }: Operation): boolean {
  return method === 'POST' || method === 'PUT';
}

/** A request as a client sends it; `body` is absent for GET and DELETE. */
export interface HttpRequest {
  readonly method: Operation['method'];
  /** Path and query, encoded. */
  readonly target: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** The request that asks for an operation. */
export function requestOf(
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
  project: string,
): HttpRequest {
  const { method, path } = operation;
  const left = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const target = path.replaceAll(PLACEHOLDER, (_, name: string) => {
    if (name === 'project') return encodeURIComponent(project);
    const value = left.get(name);
    left.delete(name);
    if (typeof value !== 'string' || value === '')
      throw new PalisadeError('invalid_input', `${operation.id} needs ${name}`);
    // Every URL parser walks these, also encoded: it would be the address of something else.
    if (value === '.' || value === '..')
      throw new PalisadeError('invalid_input', `${name} may not be ${value}`);
    return encodeURIComponent(value);
  });
  if (takesBody(operation)) return { method, target, body: Object.fromEntries(left) };
  const query = new URLSearchParams();
  for (const [name, value] of left)
    for (const each of Array.isArray(value) ? value : [value]) query.append(name, String(each));
  return { method, target: query.size === 0 ? target : `${target}?${query.toString()}` };
}

/** What a request says, as a server received it. */
export interface ReceivedRequest {
  /** Of the path's placeholders, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Parsed JSON; undefined when there is none. */
  readonly body: unknown;
}

type Kind = 'text' | 'number' | 'boolean';

/** A field of the query: what its values are read as, and whether there may be several. */
interface QueryField {
  readonly kind: Kind;
  readonly isList: boolean;
}

/**
 * Reads the input of an operation out of requests; the operation's own schema judges it. Raises `invalid_input` for what has no place in
 * an input at all.
 */
export function inputReader(operation: Operation): (request: ReceivedRequest) => Record<string, unknown> {
  const { method } = operation;
  const named = new Set(placeholdersOf(operation));
  let described: ReadonlyMap<string, QueryField> | undefined;
  return ({ params, query, body }) => {
    // Described at the first request: it takes a millisecond, and there are many operations.
    const fields = takesBody(operation) ? null : (described ??= queryFields(operation));
    const input = new Map<string, unknown>();
    const source = fields === null ? bodyEntries(operation, body) : queryEntries(fields, query);
    for (const [name, value] of source) {
      if (named.has(name))
        throw new PalisadeError('invalid_input', `${name} stands in the path, and nowhere else`);
      input.set(name, value);
    }
    if (fields !== null && body !== undefined)
      throw new PalisadeError('invalid_input', `${method} takes no body`);
    if (fields === null && query.size > 0)
      throw new PalisadeError('invalid_input', `${operation.id} takes no query`, {
        next: 'put the fields into the JSON body',
      });
    for (const [name, value] of Object.entries(params)) if (name !== 'project') input.set(name, value);
    return Object.fromEntries(input);
  };
}

function bodyEntries(operation: Operation, body: unknown): Iterable<readonly [string, unknown]> {
  if (body === undefined) return [];
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new PalisadeError('invalid_input', `the body of ${operation.id} must be a JSON object`);
  return Object.entries(body);
}

function* queryEntries(
  fields: ReadonlyMap<string, QueryField>,
  query: URLSearchParams,
): Iterable<readonly [string, unknown]> {
  for (const name of new Set(query.keys())) {
    const texts = query.getAll(name);
    const { kind, isList } = fields.get(name) ?? { kind: 'text', isList: false };
    const values = texts.map((text) => readAs(kind, text));
    if (!isList && values.length > 1)
      throw new PalisadeError('invalid_input', `${name} is given more than once`);
    yield [name, isList ? values : values[0]];
  }
}

/** What does not read as the kind stays text, for the schema to refuse. */
function readAs(kind: Kind, text: string): unknown {
  if (kind === 'number' && /^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/.test(text)) return Number(text);
  if (kind === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** A field of an input as JSON Schema describes it, as far as anybody here reads that. */
export interface DescribedField {
  readonly type?: string;
  readonly description?: string;
  readonly items?: DescribedField;
  readonly anyOf?: readonly DescribedField[];
}

/** The fields of an operation's input by their names, wherever in a request they stand. */
export function describedFields(operation: Operation): ReadonlyMap<string, DescribedField> {
  const { properties = {} } = z.toJSONSchema(operation.input, { io: 'input', unrepresentable: 'any' }) as {
    properties?: Record<string, DescribedField>;
  };
  return new Map(Object.entries(properties));
}

/** The fields that the query of an operation may have. Raises an Error for one that no query can say: a fault of its declaration. */
export function queryFields(operation: Operation): ReadonlyMap<string, QueryField> {
  return new Map(
    Array.from(describedFields(operation), ([name, field]) => {
      const isList = field.type === 'array';
      return [name, { kind: kindOf(operation, name, isList ? (field.items ?? {}) : field), isList }];
    }),
  );
}

function kindOf({ id }: Operation, name: string, { type, anyOf }: DescribedField): Kind {
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'boolean') return 'boolean';
  if (type === 'object' || type === 'array' || anyOf !== undefined)
    throw new Error(`${name} of ${id} cannot stand in a query`);
  return 'text';
}

/** A path as OpenAPI writes it, in the syntax of a router: `/v1/runs/{run}` is `/v1/runs/:run`. */
export function routerPath({ path }: Operation): string {
  return path.replaceAll(PLACEHOLDER, ':$1');
}

/** The project a request is about; null for an operation of the installation. */
export function projectOf(operation: Operation, params: Readonly<Record<string, string>>): string | null {
  return isOfProject(operation) ? (params['project'] ?? '') : null;
}

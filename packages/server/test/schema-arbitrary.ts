import fc from 'fast-check';

/** A JSON Schema as the OpenAPI document has them. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
}

/** What a generated value may be taken from besides its schema: values of a field that name something that is there. */
export type KnownValues = Readonly<Record<string, readonly unknown[]>>;

const MOST_ITEMS = 4;
const DEEPEST = 5;

/**
 * Values that a schema allows. Of fields in `known` about half are known values, so that requests also reach what is behind a lookup.
 * `resolve` gives what a reference leads to.
 */
export function arbitraryOf(
  schema: JsonSchema,
  resolve: (reference: string) => JsonSchema,
  known: KnownValues = {},
): fc.Arbitrary<unknown> {
  const of = (part: JsonSchema, depth: number, field = ''): fc.Arbitrary<unknown> => {
    const values = Object.hasOwn(known, field) ? known[field] : undefined;
    const any = bySchema(part, depth);
    return values === undefined ? any : fc.oneof(fc.constantFrom(...values), any);
  };
  const bySchema = (part: JsonSchema, depth: number): fc.Arbitrary<unknown> => {
    if (part.$ref !== undefined)
      return depth > DEEPEST ? fc.constant(null) : of(resolve(part.$ref), depth + 1);
    if ('const' in part) return fc.constant(part.const);
    if (part.enum !== undefined) return fc.constantFrom(...part.enum);
    const choices = part.anyOf ?? part.oneOf;
    if (choices !== undefined) return fc.oneof(...choices.map((each) => of(each, depth + 1)));
    switch (part.type) {
      case 'null':
        return fc.constant(null);
      case 'boolean':
        return fc.boolean();
      case 'integer':
        return whole(part);
      case 'number':
        return fc.oneof(whole(part), fc.double({ noNaN: true, ...bounds(part) }));
      case 'string':
        return text(part);
      case 'array':
        return fc.array(of(part.items ?? {}, depth + 1), {
          minLength: part.minItems ?? 0,
          maxLength: Math.max(part.minItems ?? 0, Math.min(part.maxItems ?? MOST_ITEMS, MOST_ITEMS)),
        });
      case 'object':
        return members(part, depth);
      default:
        return fc.jsonValue({ maxDepth: 2 });
    }
  };
  const members = (part: JsonSchema, depth: number): fc.Arbitrary<object> => {
    const { properties = {}, required = [], additionalProperties: more } = part;
    const fields = Object.fromEntries(
      Object.entries(properties).map(([name, each]) => [name, of(each, depth + 1, name)]),
    );
    const named = fc.record(fields, { requiredKeys: [...required], noNullPrototype: true });
    if (more === undefined || typeof more === 'boolean') return named;
    const others = fc.dictionary(text({ maxLength: 20 }), of(more, depth + 1), { maxKeys: 3 });
    return fc.tuple(others, named).map(([some, own]) => ({ ...some, ...own }));
  };
  return of(schema, 0);
}

function bounds(part: JsonSchema): { min: number; max: number } {
  const { minimum, exclusiveMinimum, maximum } = part;
  const least = exclusiveMinimum === undefined ? minimum : exclusiveMinimum + 1;
  return { min: least ?? Number.MIN_SAFE_INTEGER, max: maximum ?? Number.MAX_SAFE_INTEGER };
}

function whole(part: JsonSchema): fc.Arbitrary<number> {
  const { min, max } = bounds(part);
  const between = (least: number, most: number): fc.Arbitrary<number> =>
    fc.bigInt({ min: BigInt(least), max: BigInt(most) }).map(Number);
  return fc.oneof(
    between(min, Math.min(max, Math.max(min, 0) + 100)),
    between(min, max),
    fc.constantFrom(min, max),
  );
}

/** Patterns of the document that fast-check cannot generate from, as ones that it can. */
const NARROWER: Readonly<Record<string, string>> = {
  '^[^\\s\\p{Cc}-][^\\s\\p{Cc}]*$': '^[a-z][a-z0-9.-]*$',
  '^[A-Za-z][A-Za-z0-9_-]*(\\([^()\\p{Cc}]*\\))?$': '^[A-Za-z][A-Za-z0-9_-]*$',
};

function text(part: JsonSchema): fc.Arbitrary<string> {
  const { pattern, minLength = 0, maxLength } = part;
  const fits = (value: string): boolean => {
    const size = [...value].length;
    return size >= minLength && size <= (maxLength ?? size);
  };
  if (part.format === 'uri') return fc.webUrl({ withQueryParameters: true });
  if (pattern !== undefined) return fc.stringMatching(new RegExp(NARROWER[pattern] ?? pattern)).filter(fits);
  return fc.string({
    unit: 'binary',
    minLength,
    maxLength: Math.min(maxLength ?? 40, Math.max(40, minLength)),
  });
}

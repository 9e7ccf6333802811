import type * as z from 'zod';

/** What the parts of a zod schema that matter here look like. */
interface Looked {
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly element?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly valueType?: z.ZodType;
  readonly values?: ReadonlySet<unknown>;
  readonly unwrap?: () => z.ZodType;
}

/** The names that a schema knows where a path of a value leads: of a choice, those of the one that the value made. */
export function namesAt(schema: z.ZodType, value: unknown, path: readonly PropertyKey[]): readonly string[] {
  let here: z.ZodType | undefined = chosen(schema, value);
  let given = value;
  for (const part of path) {
    const { shape, element, valueType } = (here ?? {}) as Looked;
    given = memberOf(given, part);
    const next: z.ZodType | undefined = shape?.[String(part)] ?? element ?? valueType;
    here = next === undefined ? undefined : chosen(next, given);
  }
  return Object.keys((here as Looked | undefined)?.shape ?? {});
}

function chosen(schema: z.ZodType, given: unknown): z.ZodType {
  const { shape, element, options, unwrap } = schema as Looked;
  if (shape === undefined && element === undefined && options === undefined && unwrap !== undefined)
    return chosen(unwrap.call(schema), given);
  const fits = (option: z.ZodType): boolean =>
    Object.entries((option as Looked).shape ?? {}).some(
      ([name, member]) => (member as Looked).values?.has(memberOf(given, name)) === true,
    );
  return options?.find(fits) ?? schema;
}

/** Only what is the value's own: no name of a document reaches a prototype. */
function memberOf(value: unknown, part: PropertyKey): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, part)
    ? Reflect.get(value, part)
    : undefined;
}

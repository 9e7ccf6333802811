interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly properties?: Record<string, Schema>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly description?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** Returns what says a JSON Schema as a type, much as TypeScript would: bounds as comments, references by what they lead to, and `JSON` where a schema leads to itself. */
export function schemaInWords(schemas: Record<string, object>): (schema: object) => string {
  const word = (schema: Schema, indent: string, inside: readonly string[]): string => {
    const { $ref, enum: values, anyOf, oneOf, allOf, prefixItems } = schema;
    if ($ref !== undefined) {
      const name = $ref.split('/').at(-1) ?? '';
      const target: Schema | undefined = schemas[name];
      return target === undefined || inside.includes(name) ? 'JSON' : word(target, indent, [...inside, name]);
    }
    if ('const' in schema) return JSON.stringify(schema.const);
    if (values !== undefined) return values.map((each) => JSON.stringify(each)).join(' | ');
    const choices = anyOf ?? oneOf;
    if (choices !== undefined)
      return [...new Set(choices.map((each) => word(each, indent, inside)))].join(' | ');
    if (allOf !== undefined) return allOf.map((each) => word(each, indent, inside)).join(' & ');
    if (Array.isArray(schema.type))
      return schema.type.map((type: string) => word({ ...schema, type }, indent, inside)).join(' | ');
    if (schema.type === 'array') {
      if (prefixItems !== undefined)
        return `[${prefixItems.map((each) => word(each, indent, inside)).join(', ')}]`;
      const element = word(schema.items ?? {}, indent, inside);
      return element.includes(' | ') && !element.startsWith('{') ? `(${element})[]` : `${element}[]`;
    }
    if (schema.type === 'object') return object(schema, indent, inside);
    return typeof schema.type === 'string' ? schema.type : 'JSON';
  };
  const object = (
    { properties = {}, required = [], additionalProperties }: Schema,
    indent: string,
    inside: readonly string[],
  ): string => {
    const deeper = `${indent}  `;
    const fields = Object.entries(properties).map(([name, each]) => {
      const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
      const comment = bounds(each);
      return `${deeper}${key}${required.includes(name) ? '' : '?'}: ${word(each, deeper, inside)},${comment === '' ? '' : ` // ${comment}`}`;
    });
    if (typeof additionalProperties === 'object')
      fields.push(`${deeper}[name: string]: ${word(additionalProperties, deeper, inside)},`);
    return fields.length === 0 ? '{}' : `{\n${fields.join('\n')}\n${indent}}`;
  };
  return (schema) => word(schema, '', []);
}

/** Numbers that any JSON integer has are no bound. */
const LARGEST = Number.MAX_SAFE_INTEGER;

function bounds(schema: Schema): string {
  const { minLength, maxLength, minimum, maximum, exclusiveMinimum, minItems, maxItems } = schema;
  return [
    schema.description,
    schema.format,
    range(minLength, maxLength, ' characters'),
    exclusiveMinimum === undefined ? '' : `more than ${exclusiveMinimum}`,
    range(minimum === -LARGEST ? undefined : minimum, maximum === LARGEST ? undefined : maximum, ''),
    range(minItems, maxItems, ' entries'),
  ]
    .filter((each) => each !== undefined && each !== '')
    .join('; ');
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  if (least === undefined && most === undefined) return '';
  if (most === undefined) return least === 0 || least === 1 ? '' : `${least} or more${unit}`;
  return least === undefined || least === 0 ? `up to ${most}${unit}` : `${least} to ${most}${unit}`;
}

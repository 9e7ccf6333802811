import { Plan, PlanTemplate } from '@palisade/contracts';
import * as z from 'zod';

interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly $ref?: string;
}

/** Every field a plan can have, `items[].budget.tokens` style, with its type and limits in words, in the order of the schema. */
export function planFields(): Map<string, string> {
  const fields = new Map<string, string>();
  walk(z.toJSONSchema(Plan, { unrepresentable: 'any', io: 'input' }) as Schema, '', fields);
  return fields;
}

function walk(schema: Schema, path: string, fields: Map<string, string>): void {
  for (const option of optionsOf(schema)) {
    for (const [key, member] of Object.entries(option.properties ?? {})) {
      // A template has the fields of an item: only what it has besides is told again.
      if (isTemplate(option) && Object.hasOwn(PlanTemplate.shape, key)) continue;
      const at = path === '' ? key : `${path}.${key}`;
      const said = fields.get(at);
      const type = typeOf(member) + (option.required?.includes(key) === true ? ', required' : '');
      if (said === undefined) fields.set(at, type);
      else if (!said.split(' or ').includes(type)) fields.set(at, `${said} or ${type}`);
      // What a harness takes has a document of its own.
      if (!at.endsWith('.run')) walk(member, at, fields);
    }
    if (option.items !== undefined) walk(option.items, `${path}[]`, fields);
    if (typeof option.additionalProperties === 'object')
      walk(option.additionalProperties, `${path}.KEY`, fields);
  }
}

function isTemplate({ properties = {} }: Schema): boolean {
  return Object.hasOwn(properties, 'resourceLocks') && !Object.hasOwn(properties, 'id');
}

function optionsOf(schema: Schema): readonly Schema[] {
  const inner = schema.anyOf ?? schema.oneOf;
  return inner === undefined ? [schema] : inner.flatMap(optionsOf);
}

function typeOf(schema: Schema): string {
  const options = optionsOf(schema);
  if (options.length > 1) return [...new Set(options.map(typeOf))].join(' or ');
  const [only = schema] = options;
  if (only.$ref !== undefined) return 'any JSON';
  if (only.const !== undefined) return JSON.stringify(only.const);
  if (only.enum !== undefined) return only.enum.map((value) => JSON.stringify(value)).join(', ');
  switch (only.type) {
    case 'string':
      return only.pattern === undefined
        ? `text${range(only.minLength, only.maxLength, 'characters')}`
        : `name${range(undefined, only.maxLength, 'characters')}`;
    case 'integer':
    case 'number': {
      const kind = only.type === 'integer' ? 'whole number' : 'number';
      const low =
        only.minimum ?? (only.exclusiveMinimum === undefined ? undefined : `above ${only.exclusiveMinimum}`);
      return `${kind}${range(low, only.maximum === Number.MAX_SAFE_INTEGER ? undefined : only.maximum, '')}`;
    }
    case 'boolean':
      return 'true or false';
    case 'array':
      return `list of ${only.items === undefined ? 'anything' : typeOf(only.items)}${range(only.minItems, only.maxItems, 'entries')}`;
    case 'object':
      if (isTemplate(only)) return 'template';
      return typeof only.additionalProperties === 'object'
        ? `object of ${typeOf(only.additionalProperties)}`
        : 'object';
    default:
      return 'any JSON';
  }
}

function range(low: number | string | undefined, high: number | undefined, unit: string): string {
  const lowest = low === -Number.MAX_SAFE_INTEGER || low === 0 ? undefined : low;
  const words = unit === '' ? '' : ` ${unit}`;
  if (lowest === undefined && high === undefined) return low === 0 && unit === '' ? ' from 0' : '';
  if (high === undefined) return typeof lowest === 'string' ? ` ${lowest}` : ` from ${lowest}${words}`;
  if (lowest === undefined) return `${low === 0 ? ' from 0 to' : ' up to'} ${high}${words}`;
  return ` ${typeof lowest === 'string' ? lowest : `from ${lowest}`} to ${high}${words}`;
}

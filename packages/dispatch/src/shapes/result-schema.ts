import { PalisadeError, type Shape } from '@palisade/contracts';
import { Ajv2020, type Options } from 'ajv/dist/2020.js';

type Schema = NonNullable<Shape['result']>;

/*
 * Structured results are held to JSON Schema 2020-12. This file is loaded late, by who has a schema: the validator is big.
 * Each schema gets an instance of it, so that no `$id` of one pack means anything in another.
 */
const OPTIONS: Options = {
  // A keyword that is unknown, or says nothing where it stands, is a mistake of the schema.
  strict: true,
  strictRequired: false,
  strictTuples: false,
  allowUnionTypes: true,
  allowMatchingProperties: true,
  // In 2020-12 a format describes, and holds nothing.
  validateFormats: false,
  // What every JavaScript object inherits is no property of a result.
  ownProperties: true,
  logger: false,
};

/** Raises `invalid_input` with the reason for what is no schema, says something that would not be checked, or refers to something outside of itself. */
export function assertResultSchema(id: string, schema: Schema): void {
  const refuse = (why: string): never => {
    throw new PalisadeError(
      'invalid_input',
      `the result of ${id} is not a JSON Schema that can be checked: ${why}`,
    );
  };
  // Its answer would be a promise, which fits everything.
  if ('$async' in schema) refuse('$async is not of JSON Schema');
  try {
    new Ajv2020(OPTIONS).compile(schema);
  } catch (error) {
    refuse(error instanceof Error ? error.message : 'it cannot be compiled');
  }
}

/** Where and why a value does not fit a schema that was accepted, the place as a JSON pointer (RFC 6901); null when it fits. */
export function misfitOf(schema: Schema, value: unknown): string | null {
  try {
    const fits = new Ajv2020({ ...OPTIONS, validateSchema: false }).compile(schema);
    if (fits(value)) return null;
    const { instancePath = '', message = '', params = {} } = fits.errors?.[0] ?? {};
    const extra: unknown = params['additionalProperty'] ?? params['unevaluatedProperty'];
    const named = typeof extra === 'string' ? `: ${JSON.stringify(extra)}` : '';
    return `does not fit at ${instancePath === '' ? '(top)' : instancePath}: ${message}${named}`;
  } catch {
    // A schema that refers to itself can be as deep as the value.
    return 'could not be held against its schema';
  }
}

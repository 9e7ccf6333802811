import { ZodReadonly, type ZodType } from 'zod';
import { nearest } from '@palisade/contracts/nearest';
import { UsageError } from '../tree/usage-error.ts';

/** Field names `--json=…` accepts: of an entry for listings, of the answer otherwise. */
export async function fieldsOf(path: string): Promise<readonly string[]> {
  const { answers } = await import('./answers.ts');
  return [...new Set((answers[path] ?? []).flatMap(fieldsOfAnswer))];
}

/** A field that is not there is a {@link UsageError} naming the nearest. */
export function assertFields(path: string, picked: readonly string[], known: readonly string[]): void {
  for (const field of picked) {
    const top = field.split('.')[0] ?? field;
    if (known.includes(top)) continue;
    const meant = nearest(top, known);
    throw new UsageError(`pal ${path} has no field "${field}"`, {
      ...(meant === undefined ? {} : { why: `the nearest is "${meant}"` }),
      next: `pal ${path} --json=?`,
    });
  }
}

function fieldsOfAnswer(schema: ZodType): string[] {
  const shape = shapeOf(schema);
  const data = shape['data'] === undefined ? undefined : withoutReadonly(shape['data']);
  const entry = data !== undefined && 'element' in data ? (data.element as ZodType) : undefined;
  return Object.keys(entry === undefined ? shape : shapeOf(entry));
}

function withoutReadonly(schema: ZodType): ZodType {
  return schema instanceof ZodReadonly ? (schema.unwrap() as ZodType) : schema;
}

function shapeOf(schema: ZodType): Readonly<Record<string, ZodType>> {
  return 'shape' in schema ? (schema.shape as Record<string, ZodType>) : {};
}

import { PalisadeError, type ProductFacts } from '@palisade/contracts';
import type { AttemptEnd } from '@palisade/runs';
import { describe, expect, it } from 'vitest';
import { heldToShape } from './held-to-shape.ts';
import { heldToResult } from './held-to-result.ts';
import { OWN_SHAPES, ShapeCatalogue } from './shape-catalogue.ts';

const ref = `sha256:${'a'.repeat(64)}` as const;
const end = (product: ProductFacts): AttemptEnd => ({
  outcome: 'succeeded',
  retryable: false,
  product,
  posture: [],
});
const outputs = [{ path: 'x', ref, size: 1 }];

describe('shapes', () => {
  it('DI-193: an attempt that leaves what its shape does not allow, or not what it demands, has failed', () => {
    const verdict = (shape: string, product: ProductFacts) =>
      heldToShape(OWN_SHAPES.frozen(shape), end(product));
    const reason = (shape: string, product: ProductFacts) => verdict(shape, product).reason;
    expect(verdict('data.split', { result_ref: ref, outputs })).toMatchObject({
      outcome: 'failed',
      code: 'shape_violated',
      retryable: false,
      product: { result_ref: ref },
    });
    expect(reason('data.split', { conflicts_ref: ref, outputs })).toContain('it changed files');
    expect(reason('data.transform', {})).toBe(
      'it left no outputs and has to: it has the shape data.transform, which is pure',
    );
    expect(reason('dev.verify', { result_ref: ref })).toContain('read-impure');
    for (const [shape, product] of [
      ['data.split', { outputs }],
      ['dev.verify', {}],
      ['dev.code-edit', { result_ref: ref, outputs }],
    ] as const)
      expect(verdict(shape, product)).toEqual(end(product));
    expect(heldToShape(undefined, end({ result_ref: ref }))).toEqual(end({ result_ref: ref }));
  });

  it('DI-193: what did not end well anyway keeps its own reason', () => {
    const failed = { ...end({ result_ref: ref }), outcome: 'failed', reason: 'exit 1' } as const;
    expect(heldToShape(OWN_SHAPES.frozen('data.split'), failed)).toBe(failed);
  });

  it('DI-193: pure is without network and model', () => {
    for (const id of ['data.split', 'data.transform', 'data.aggregate'])
      expect(OWN_SHAPES.get(id)).toMatchObject({
        effect: 'pure',
        permissions: { network: false, model: false, patch: false },
      });
  });
});

describe('packs of others', () => {
  const report = {
    id: 'house.report',
    effect: 'read-impure',
    permissions: { network: true, model: true, patch: false, outputs: true },
    result: {
      type: 'object',
      properties: {
        score: { type: 'integer', minimum: 0 },
        notes: { type: 'array', items: { type: 'string' } },
      },
      required: ['score'],
      additionalProperties: false,
    },
  } as const;
  const refusal = (...packs: object[][]): Promise<string> =>
    ShapeCatalogue.of(packs).then(
      (shapes) => `${shapes.get('house.report')?.id}`,
      (error: Error) => error.message,
    );

  it('DI-193: are known beside those of the product, and what is no shape or has a taken id is refused', async () => {
    expect(await refusal([report])).toBe('house.report');
    expect((await ShapeCatalogue.of([[report]])).get('data.split')).toEqual(OWN_SHAPES.get('data.split'));
    expect(await refusal([report], [report])).toBe('two shapes are called house.report');
    expect(await refusal([{ ...report, id: 'data.split' }])).toBe('two shapes are called data.split');
    expect(await refusal([{ ...report, id: 'Report' }])).toContain('must be <pack>.<name>');
    expect(await refusal([{ ...report, effects: 'pure' }])).toContain('a shape is not valid');
    expect(await refusal([{ ...report, effect: 'pure' }])).toContain('neither network nor model');
    const none = { ...report.permissions, outputs: false };
    expect(await refusal([{ ...report, permissions: none }])).toContain('has to leave what it may not');
  });

  it('DI-193: an attempt without the structured result that its shape declares has failed, with the place', async () => {
    const shape = (await ShapeCatalogue.of([[report]])).frozen('house.report');
    const held = (text: string | Error, output: object = { path: 'result.json', ref, size: 1 }) =>
      heldToResult(
        {
          get: async () => {
            if (text instanceof Error) throw text;
            return Buffer.from(text, 'latin1');
          },
        },
        shape,
        end({ outputs: [output] } as ProductFacts),
      );
    expect(await held('{"score":3,"notes":["a"]}')).toMatchObject({ outcome: 'succeeded' });
    expect(await held('{"score":3,"notes":[7]}')).toEqual({
      ...end({ outputs: [{ path: 'result.json', ref, size: 1 }] }),
      outcome: 'failed',
      code: 'shape_violated',
      reason: 'its result.json does not fit at /notes/0: must be string: it has the shape house.report',
      retryable: true,
    });
    const reason = async (...given: Parameters<typeof held>) => (await held(...given)).reason;
    expect(await reason('{"score":3,"more":1}')).toContain(
      'at (top): must NOT have additional properties: "more"',
    );
    expect(await reason('{"score":-1}')).toContain('at /score: must be >= 0');
    expect(await reason('{')).toContain('is not JSON');
    expect(await reason('"\xff"')).toContain('is not JSON');
    expect(await reason('{}', { path: 'other.json', ref, size: 1 })).toContain(
      'it left no result.json and has to',
    );
    expect(await reason('{}', { path: 'result.json', ref, size: 2 ** 21 })).toContain('is larger than');
    for (const code of ['not_found', 'integrity_mismatch', 'too_large'] as const)
      expect(await reason(new PalisadeError(code, 'canary'))).toBe(
        'its result.json could not be read: it has the shape house.report',
      );
    // It is not the attempt's fault that a store does not answer.
    await expect(held(new PalisadeError('upstream_failed', 'away'))).rejects.toThrow('away');
    await expect(held(new Error('away'))).rejects.toThrow('away');
  });

  it.each<[schema: Record<string, unknown>, why: string]>([
    [{ type: 'objekt' }, 'must be equal to one of the allowed values'],
    [{ type: 'object', reqired: ['a'] }, 'unknown keyword: "reqired"'],
    [{ required: ['a'] }, 'missing type "object" for keyword "required"'],
    [{ minItems: 1 }, 'missing type "array" for keyword "minItems"'],
    [{ allOf: [{ required: ['a'] }, { minProperties: 2 }] }, 'at "#/allOf/0"'],
    [{ type: 'object', properties: { a: { minimum: 1 } } }, 'at "#/properties/a"'],
    [{ type: 'object', if: { required: ['a'] } }, '"if" without "then" and "else" is ignored'],
    [{ type: 'array', items: [{ type: 'string' }] }, 'must be object,boolean'],
    [{ $ref: 'https://example.com/x' }, "can't resolve reference https://example.com/x"],
    [{ $schema: 'http://json-schema.org/draft-04/schema#' }, 'no schema with key or ref'],
    [{ type: 'object', $async: true }, '$async is not of JSON Schema'],
    [{ type: 'object', properties: { a: { type: 'string', $async: true } } }, 'async schema in sync schema'],
  ])('DI-193: a schema that would not be held as it is written is refused: %j', async (result, why) => {
    const refused = await refusal([{ ...report, result }]);
    expect(refused).toContain('the result of house.report is not a JSON Schema that can be checked: ');
    expect(refused).toContain(why);
  });

  const tree = { type: 'array', items: { $ref: '#' } };
  const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
  it.each<[schema: Record<string, unknown>, accepted: unknown, refused: unknown]>([
    [{ type: 'object', required: ['a'] }, { a: 1 }, {}],
    [{ type: 'object', required: ['toString'] }, { toString: 1 }, {}],
    [{ type: 'array', minItems: 1 }, [1], []],
    [{ type: 'array', uniqueItems: true }, [{ a: 1 }, { a: 2 }], [{ a: 1 }, { a: 1 }]],
    [{ type: 'array', contains: { const: 1 } }, [0, 1], [0]],
    [{ type: 'array', prefixItems: [{ type: 'string' }], items: false }, ['a'], ['a', 'b']],
    [{ type: 'object', allOf: [{ required: ['a'] }, { minProperties: 2 }] }, { a: 1, b: 2 }, { a: 1 }],
    [{ type: 'object', not: { required: ['a'] } }, {}, { a: 1 }],
    [{ type: 'object', if: { required: ['a'] }, else: { required: ['b'] } }, { a: 1 }, {}],
    [{ type: 'object', dependentRequired: { a: ['b'] } }, { b: 1 }, { a: 1 }],
    [{ type: 'object', properties: { a: {} }, unevaluatedProperties: false }, { a: 1 }, { b: 1 }],
    [{ enum: [{ a: 1 }, [2]] }, { a: 1 }, { a: 2 }],
    [{ const: { a: [1] } }, { a: [1] }, { a: [2] }],
    [{ type: ['string', 'null'], maxLength: 1 }, null, 'ab'],
    [{ $defs: { n: { type: 'integer' } }, $ref: '#/$defs/n', title: 'n' }, 1, 1.5],
    [{ type: 'string', format: 'email', pattern: '^a' }, 'a', 'b'],
    [tree, [[], [[]]], [1]],
    [tree, [], deep],
  ])('DI-193: a result is held to all of its schema: %j', async (result, accepted, refused) => {
    const shape = (await ShapeCatalogue.of([[{ ...report, result }]])).frozen('house.report');
    const outcome = async (value: unknown) => {
      const text = value === deep ? '['.repeat(100_000) + ']'.repeat(100_000) : JSON.stringify(value);
      const product = { outputs: [{ path: 'result.json', ref, size: 1 }] };
      return (await heldToResult({ get: async () => Buffer.from(text) }, shape, end(product))).code;
    };
    expect(await outcome(accepted)).toBeUndefined();
    expect(await outcome(refused)).toBe('shape_violated');
  });

  it('DI-193: what did not end well, and shapes without a schema, are left as they are', async () => {
    const blobs = { get: async () => Promise.reject(new Error('not read')) };
    const failed = { ...end({}), outcome: 'failed' } as const;
    const shape = (await ShapeCatalogue.of([[report]])).frozen('house.report');
    expect(await heldToResult(blobs, shape, failed)).toBe(failed);
    const good = end({ outputs });
    expect(await heldToResult(blobs, OWN_SHAPES.frozen('data.split'), good)).toBe(good);
  });
});

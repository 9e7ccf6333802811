import type { ProductFacts } from '@palisade/contracts';
import type { AttemptEnd } from '@palisade/runs';
import { describe, expect, it } from 'vitest';
import { heldToShape } from './held-to-shape.ts';
import { catalogueOf, frozenShape, shapeOf } from './shape-catalogue.ts';

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
    const verdict = (shape: string, product: ProductFacts) => heldToShape(frozenShape(shape), end(product));
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
    expect(heldToShape(frozenShape('data.split'), failed)).toBe(failed);
  });

  it('DI-193: pure is without network and model, and two shapes never share a name', () => {
    for (const id of ['data.split', 'data.transform', 'data.aggregate'])
      expect(shapeOf(id)).toMatchObject({
        effect: 'pure',
        permissions: { network: false, model: false, patch: false },
      });
    const twice = shapeOf('data.split');
    expect(() => catalogueOf(twice === undefined ? [] : [[twice], [twice]])).toThrow('data.split');
  });
});

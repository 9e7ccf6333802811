import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { boundProduct, outputsBytes } from './bounded-product.ts';
import { canonicalBytes, contentHash } from './canonical-json.ts';
import { ProductFacts } from './events.ts';
import { limits } from './limits.ts';

const ref = fc.nat().map((n) => contentHash(String(n)));
/** Texts of every length up to far too long, of every kind of character, repeated to reach it cheaply. */
const text = (maxTimes: number) =>
  fc
    .tuple(fc.string({ unit: 'binary', maxLength: 40 }), fc.constantFrom('', 'a', '\0', 'é', '🦔', '\ud800'))
    .chain(([start, filler]) => fc.nat(maxTimes).map((times) => start + filler.repeat(times)));
const product: fc.Arbitrary<ProductFacts> = fc.record(
  {
    result_ref: ref,
    log_ref: ref,
    summary: text(60_000),
    verify: fc.record({ passed: fc.boolean(), report: text(60_000) }),
    warnings: fc.array(text(4_000), { maxLength: 80, size: 'max' }),
    usage: fc.record({ models: fc.array(text(3_000), { maxLength: 50, size: 'max' }) }),
    outputs: fc.array(
      fc.record({
        path: fc.oneof(fc.constantFrom('outputs.json', 'outputs-1.json'), text(1_000)),
        ref,
        size: fc.nat(),
      }),
      { maxLength: 256, size: 'max' },
    ),
    blocks: fc.array(
      fc.record({
        kind: fc.constant('agent' as const),
        ordinal: fc.nat(),
        status: fc.constant('ok' as const),
        duration_ms: fc.nat(),
      }),
      { maxLength: 2_000, size: 'max' },
    ),
  },
  { requiredKeys: [] },
);
const size = (value: unknown): number => canonicalBytes(value).byteLength;

/** Paths of some outputs, as many as a plan may need. */
function withinBound(outputs: readonly { readonly path: string }[], picks: readonly number[]): Set<string> {
  const needed = new Set<string>();
  for (const pick of picks) {
    const path = outputs[pick]?.path;
    if (path === undefined || !path.isWellFormed()) continue;
    if (outputsBytes([...needed, path]) <= limits.neededOutputBytes) needed.add(path);
  }
  return needed;
}

describe('the facts of a product', () => {
  test('DI-116: always fit, and every output is in the record or in the listing the record names', () => {
    let cut = 0;
    fc.assert(
      fc.property(product, fc.array(fc.nat(255), { maxLength: 200 }), (whole, picks) => {
        const needed = withinBound(whole.outputs ?? [], picks);
        const bounded = boundProduct(whole, needed);
        expect(size(ProductFacts.parse(bounded.product))).toBeLessThanOrEqual(limits.productBytes);
        expect(boundProduct(bounded.product, needed)).toEqual({ product: bounded.product, listing: null });
        expect(bounded.product.result_ref).toBe(whole.result_ref);
        const all = (whole.outputs ?? []).map((output) => ({ ...output, path: output.path.toWellFormed() }));
        if (bounded.listing === null) {
          expect(bounded.product.outputs ?? []).toEqual(all);
          return;
        }
        cut++;
        const kept = bounded.product.outputs?.slice(0, -1) ?? [];
        const last = bounded.product.outputs?.at(-1);
        // In their order: everything needed, and of the others the first.
        expect(all.filter(({ path }) => needed.has(path))).toEqual(
          kept.filter(({ path }) => needed.has(path)),
        );
        const others = all.filter(({ path }) => !needed.has(path));
        const keptOthers = kept.filter(({ path }) => !needed.has(path));
        expect(keptOthers).toEqual(others.slice(0, keptOthers.length));
        expect(kept).toEqual(all.filter((output) => kept.some((one) => isDeepStrictEqual(one, output))));
        expect(JSON.parse(bounded.listing.bytes.toString())).toEqual(all);
        expect(last).toMatchObject({
          ref: contentHash(bounded.listing.bytes),
          size: bounded.listing.bytes.length,
        });
        expect(all.map(({ path }) => path)).not.toContain(last?.path);
        expect(bounded.product.warnings?.at(-1)).toContain(
          `${all.length - kept.length} of ${all.length} outputs`,
        );
      }),
      { numRuns: 60 },
    );
    expect(cut).toBeGreaterThan(0);
  });

  test('DI-116: 256 outputs with long paths, a long report and many warnings leave as many outputs as fit', () => {
    const outputs = Array.from({ length: limits.outputEntries }, (_, i) => ({
      path: `${i}/`.padEnd(950, 'x'),
      ref: contentHash(String(i)),
      size: i,
    }));
    const { product: facts, listing } = boundProduct({
      summary: 's'.repeat(8_000),
      verify: { passed: true, report: `${'é'.repeat(8_000)}!` },
      warnings: Array.from({ length: 64 }, () => 'w'.repeat(500)),
      outputs,
    });
    expect(listing).not.toBeNull();
    // The next output would not have fitted.
    expect(size(facts)).toBeGreaterThan(limits.productBytes - size(outputs[0]) - 10);
    expect(facts.summary).toHaveLength(8_000);
    expect(facts.verify?.report).toMatch(/é!$/);
    expect(facts.warnings?.at(-2)).toMatch(/^and \d+ more warnings$/);
  });

  test('what fits is left as it is', () => {
    const small = { summary: 's'.repeat(100_000), warnings: ['w'], outputs: [] };
    expect(boundProduct(small)).toEqual({ product: small, listing: null });
  });
});

import type { VerificationReport } from '@palisade/contracts';
import { expect, expectTypeOf, test } from 'vitest';
import type * as published from '../verifier/index.d.ts';
import * as verifier from './verifier.ts';

test('DI-253: the types that are published are those of the verifier', () => {
  expectTypeOf<VerificationReport>().toEqualTypeOf<published.VerificationReport>();
  expectTypeOf<keyof typeof verifier>().toEqualTypeOf<keyof typeof published>();
  expectTypeOf(verifier.renderReport).toEqualTypeOf<typeof published.renderReport>();
  expectTypeOf(verifier.reportJson).toEqualTypeOf<typeof published.reportJson>();
  expect(Object.keys(verifier).toSorted()).toEqual([
    'parseBundle',
    'parseTrustRoot',
    'renderReport',
    'reportJson',
    'verifyBundle',
    'verifyBundleBytes',
  ]);
});

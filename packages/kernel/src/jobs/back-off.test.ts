import fc from 'fast-check';
import { expect, it } from 'vitest';
import { doublingMs } from './back-off.ts';

it('EX-092: a pause doubles from the first to the last, and stays a number after any number of failures', () => {
  expect([1, 2, 3, 4, 5].map((failures) => doublingMs(failures, 100, 1_000))).toEqual([
    100, 200, 400, 800, 1_000,
  ]);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000 }), (failures) => {
      const pause = doublingMs(failures, 1_000, 3_600_000);
      expect(pause).toBeGreaterThanOrEqual(1_000);
      expect(pause).toBeLessThanOrEqual(3_600_000);
    }),
  );
});

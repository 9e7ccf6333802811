import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { truncateText } from './truncate.ts';

describe('truncateText', () => {
  test('FF-073: a cut at any offset of a text full of emoji leaves well-formed text of at most the asked length', () => {
    const text = '👩‍💻🚀é漢'.repeat(40);
    for (let max = 0; max <= text.length + 1; max++) {
      for (const keep of ['head', 'tail'] as const) {
        const cut = truncateText(text, max, keep);
        expect(cut.isWellFormed()).toBe(true);
        expect(cut.length).toBeLessThanOrEqual(max);
      }
    }
  });

  test('FF-071: any string, with lone surrogates and NUL, becomes text within the limit that can be stored', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 200 }),
        fc.integer({ min: 0, max: 250 }),
        fc.constantFrom('head' as const, 'tail' as const),
        (text, max, keep) => {
          const cut = truncateText(`\0${text}\ud83d\0`, max, keep);
          return cut.isWellFormed() && !cut.includes('\0') && cut.length <= max;
        },
      ),
    );
  });

  test('a text that fits is returned whole, one that does not says how much is missing', () => {
    expect(truncateText('abc', 3)).toBe('abc');
    const cut = truncateText('x'.repeat(100), 50, 'tail');
    const missing = Number(/^\[(\d+) characters cut\]/.exec(cut)?.[1]);
    expect(cut.endsWith('x'.repeat(100 - missing))).toBe(true);
    expect(cut.split('x').length - 1).toBe(100 - missing);
  });
});

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from './canonical-json.ts';

/** RFC 8785 written a second time, as plainly as possible, to compare with. */
function reference(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(reference).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => ({ key, text: reference(member) }));
  // UTF-16 code units, compared one by one.
  members.sort((a, b) => {
    for (let i = 0; i < Math.min(a.key.length, b.key.length); i++) {
      const difference = a.key.charCodeAt(i) - b.key.charCodeAt(i);
      if (difference !== 0) return difference;
    }
    return a.key.length - b.key.length;
  });
  return `{${members.map(({ key, text }) => `${JSON.stringify(key)}:${text}`).join(',')}}`;
}

const json = fc
  .jsonValue({ stringUnit: 'binary', maxDepth: 5 })
  .filter((value) => JSON.stringify(value).isWellFormed());

describe('canonical JSON', () => {
  test('FF-141: any JSON value has the form of RFC 8785, in order or not', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = canonicalJson(value);
        expect(text).toBe(reference(value));
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  test('FF-141: numbers, accents, emoji and separators are written as the standard says', () => {
    expect(
      canonicalJson({
        numbers: [333333333.3333333, 1e30, 4.5, 2e-3, 1e-7, 2 ** 60, -0],
        string: '\u20ac$\u000f\nA\'B"\\"/\u2028\u2029é🦔',
        '\u20ac': 1,
        '\r': 2,
        '1': 3,
        '10': 4,
        '9': 5,
        '😀': 6,
        '\ufb33': 7,
        é: 8,
      }),
    ).toBe(
      '{"\\r":2,"1":3,"10":4,"9":5,' +
        '"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-7,1152921504606847000,0],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\"/\u2028\u2029é🦔","é":8,"€":1,"😀":6,"\ufb33":7}',
    );
  });

  test('DI-014: what JSON cannot say is refused wherever it stands, also in ordered values', () => {
    // oxlint-disable-next-line no-sparse-arrays -- a hole is what is refused
    const refused = [undefined, () => 1, Symbol('s'), 1n, Number.NaN, Infinity, '\ud800', new Date(0), [,]];
    for (const bad of refused)
      for (const value of [[bad], { a: [1, bad] }, { b: 1, a: [bad] }])
        expect(() => canonicalJson(value)).toThrow(/canonical JSON cannot represent/);
    expect(() => canonicalJson({ '\udc00': 1 })).toThrow(/lone surrogate/);
    expect(canonicalJson({ a: undefined, b: '\\ud800' })).toBe('{"b":"\\\\ud800"}');
    const cycle: unknown[] = [];
    cycle.push(cycle);
    expect(() => canonicalJson(cycle)).toThrow(/cycle/);
  });
});

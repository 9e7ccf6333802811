import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { duplicateKey } from './duplicate-key.ts';

it.each([
  ['{"a":1,"a":2}', 'a'],
  ['{"a":{"b":1},"c":[{"d":1,"e":{},"d":2}]}', 'd'],
  [String.raw`{"a":1,"\u0061":2}`, 'a'],
  ['{"":1,"":2}', ''],
  ['{"__proto__":1,"__proto__":2}', '__proto__'],
])('%s names %j twice', (text, name) => {
  expect(duplicateKey(text)).toBe(name);
});

it.each(['{"a":"a","b":["a","a"],"c":{"a":{"a":"{\\"a\\":1,\\"a\\":2}"}}}', '[{"a":1},{"a":2}]', '"a"', '1'])(
  '%s names nothing twice',
  (text) => {
    expect(duplicateKey(text)).toBe(null);
  },
);

it('what JSON.stringify writes never names anything twice, unless one name is written again', () => {
  fc.assert(
    fc.property(fc.json(), fc.string(), (text, name) => {
      expect(duplicateKey(text)).toBe(null);
      const key = JSON.stringify(name);
      expect(duplicateKey(`[${text},{${key}:${text},"other of ${name.length}":0,${key}:${text}}]`)).toBe(
        name,
      );
    }),
  );
});

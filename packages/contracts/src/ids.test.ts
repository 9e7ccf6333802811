import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { isName, newId } from './ids.ts';

it('ids are a prefix and a UUIDv7, and sort in the order they were made', () => {
  const ids = Array.from({ length: 20_000 }, () => newId('run'));
  expect(new Set(ids).size).toBe(ids.length);
  expect([...ids].sort()).toEqual(ids);
  for (const id of ids) expect(id).toMatch(/^run_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
});

it('ids keep their order when the clock stands still or goes back', () => {
  const ahead = Date.now() + 1000;
  const ids = [newId('pit', ahead), newId('pit', ahead), newId('pit', ahead - 500), newId('pit', ahead + 1)];
  expect([...ids].sort()).toEqual(ids);
});

it('DI-015: a name holds no separator, no control character and no climb', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[a./:~@-]{1,6}$/)), (text) => {
      if (!isName(text)) return;
      expect(text).toMatch(/^[A-Za-z0-9][\u0021-\u007e]{0,127}$/);
      expect(/[/\\%?#]|\.\./.test(text)).toBe(false);
    }),
    { numRuns: 2000 },
  );
  for (const name of ['a', 'A1', 'run_1', 'a.b', 'a:b~c@d-e', 'x'.repeat(128)])
    expect(isName(name)).toBe(true);
  for (const name of ['', '.', '..', '-a', '_a', 'a..b', 'a/b', 'a\n', 'x'.repeat(129), 7, null])
    expect(isName(name)).toBe(false);
});

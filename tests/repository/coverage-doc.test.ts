import { describe, expect, test } from 'vitest';
import { readScope, renderCoverage } from '../../scripts/coverage-doc/render.ts';
import { namedRules } from '../../scripts/coverage-doc/test-titles.ts';

const rulesOf = (source: string): readonly string[] => [...namedRules('x.test.ts', source)];

describe('titles', () => {
  test('every rule in a title counts, in whichever way the test is declared', () => {
    expect(rulesOf("test('DI-010, DI-011: a', () => {})")).toEqual(['DI-010', 'DI-011']);
    expect(rulesOf("describe('FF-003', () => { it.skipIf(!linux)('EX-082: a', () => {}) })")).toEqual([
      'FF-003',
      'EX-082',
    ]);
    expect(rulesOf("it.each([1])('DI-013: %s', () => {})")).toEqual(['DI-013']);
    expect(rulesOf("const { it } = suite; suite.it('DI-123: ' + `a ${b} FF-062`, run)")).toEqual([
      'DI-123',
      'FF-062',
    ]);
  });

  test('an id anywhere else, or in a test that is switched off, proves nothing', () => {
    expect(rulesOf("// DI-010\ntest('a', () => { expect(say('DI-011')).toBe('DI-012'); })")).toEqual([]);
    expect(rulesOf("it.skip('DI-010', () => {}); test.todo('DI-011'); describe.skip('x', () => {")).toEqual(
      [],
    );
    expect(rulesOf("describe.skip('x', () => { it('DI-010', () => {}) })")).toEqual([]);
  });
});

describe('document', () => {
  const scope = readScope(
    JSON.stringify({
      groups: [
        {
          title: 'G',
          rules: [
            { id: 'DI-010', title: 'one' },
            { id: 'DI-011', title: 'two' },
            { id: 'DI-012', title: 'three', later: true },
            { id: 'DI-016', title: 'four', later: 'needs a moon' },
          ],
        },
      ],
    }),
  );

  test('tells what is proved, what is open, what is later and what goes beyond', () => {
    const text = renderCoverage(
      scope,
      new Map([
        ['DI-010', new Set(['b.test.ts', 'a.test.ts'])],
        ['WM-001', new Set(['c.test.ts'])],
      ]),
    );
    expect(text).toContain('| DI-010 | one | `a.test.ts`<br>`b.test.ts` |');
    expect(text).toContain('| DI-011 | two | **none yet** |');
    expect(text).toContain('| DI-012 | three | later |');
    expect(text).toContain('| DI-016 | four | later: needs a moon |');
    expect(text).toContain('Rules of this release: 2. Named by a test: 1. Without a test: 1.');
    expect(text).toContain('## Not covered yet\n\n- DI-011 two\n');
    expect(text).toContain('| WM-001 | `c.test.ts` |');
  });

  test('an id that stands twice in the scope is an error', () => {
    const rule = { id: 'DI-010', title: 'one' };
    expect(() => readScope(JSON.stringify({ groups: [{ title: 'G', rules: [rule, rule] }] }))).toThrow(
      'DI-010 stands twice',
    );
  });
});

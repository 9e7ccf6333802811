import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { painter } from './color.ts';
import { renderRow, renderRows } from './row.ts';
import { displayWidth, truncate } from './width.ts';
import { elapsed } from './time.ts';

const plain = { columns: undefined, glyphs: 'none' as const, paint: painter(false) };

describe('rows', () => {
  it('carry the word, the id and the numbers at every width; only the title is cut', () => {
    const row = { state: 'failed', id: 'fix-login', title: 'a long title '.repeat(20), aside: '0:41  $0.06' };
    for (const columns of [20, 40, 80, 200, undefined]) {
      const line = renderRow(row, { ...plain, columns });
      expect(line).toContain('failed');
      expect(line).toContain('fix-login');
      expect(line).toContain('0:41  $0.06');
      if (columns !== undefined && columns >= 60) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
    }
  });

  it('line up', () => {
    const lines = renderRows(
      [
        { state: 'done', id: 'a', title: 'first' },
        { state: 'failed', id: 'much-longer', title: 'second' },
      ],
      plain,
    );
    expect(lines).toEqual(['ok       a            first', 'failed   much-longer  second']);
  });

  it('have a word beside every glyph', () => {
    for (const state of [
      'done',
      'failed',
      'running',
      'waiting',
      'retry',
      'skipped',
      'canceled',
      'denied',
      'n/a',
    ]) {
      const bare = renderRow({ state, id: 'x' }, plain);
      const drawn = renderRow({ state, id: 'x' }, { ...plain, glyphs: 'unicode' });
      expect(drawn.endsWith(bare)).toBe(true);
      expect(drawn.length).toBe(bare.length + 2);
      const ascii = renderRow({ state, id: 'x' }, { ...plain, glyphs: 'ascii' });
      expect(ascii).toMatch(/^[ -~]+$/);
    }
  });
});

describe('widths', () => {
  it('count columns as terminals draw them', () => {
    expect(displayWidth('abc')).toBe(3);
    expect(displayWidth('日本')).toBe(4);
    expect(displayWidth('é')).toBe(1);
    expect(displayWidth('👩‍💻')).toBe(2);
  });

  it('never exceed the limit after cutting', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 0, max: 40 }), (text, columns) => {
        expect(displayWidth(truncate(text, columns))).toBeLessThanOrEqual(columns);
      }),
    );
  });

  it('show lengths of time as people read them', () => {
    expect([0, 41_000, 252_000, 3_723_000].map(elapsed)).toEqual(['0:00', '0:41', '4:12', '1:02:03']);
  });
});

import { describe, expect, it } from 'vitest';
import { Recording, START } from '../../test/double/record.ts';
import { RunModel } from '../follow/run-model.ts';
import { painter } from '../output/color.ts';
import { displayWidth } from '../output/width.ts';
import { footerLines, footerRows, selectable } from './footer.ts';

const style = { columns: 80, glyphs: 'unicode' as const, paint: painter(false) };
const nothing = { selected: undefined, failedOnly: false, tail: undefined, notice: undefined };

function model(items: number, running: number, failed: number): RunModel {
  const recording = new Recording('run_x', 'big');
  for (let i = 0; i < items; i++) recording.item(`item-${i}`, { title: `title of ${'x'.repeat(100)}` });
  for (let i = 0; i < running + failed; i++) recording.started(`item-${i}`);
  for (let i = running; i < running + failed; i++)
    recording.reconciled(`item-${i}`, 'failed', { reason: 'exit 1' });
  const recorded = recording.build();
  const built = new RunModel(recorded);
  for (const event of recorded.events) built.apply(event);
  return built;
}

describe('the footer', () => {
  it('takes at most ten rows and a third of the window, and never touches the last column', () => {
    for (const rows of [10, 24, 30, 60, 200]) {
      for (const columns of [20, 80, 200]) {
        for (const [items, running, failed] of [
          [1, 1, 0],
          [10_000, 500, 50],
          [40, 3, 2],
        ] as const) {
          const lines = footerLines(model(items, running, failed), nothing, { columns, rows }, style, START);
          expect(lines.length).toBeLessThanOrEqual(Math.min(10, Math.max(2, Math.floor(rows / 3))));
          for (const line of lines) expect(displayWidth(line)).toBeLessThan(columns);
        }
      }
    }
  });

  it('shows failures first and folds the rest by state', () => {
    const lines = footerLines(
      model(10_000, 500, 2),
      nothing,
      { columns: 80, rows: 30 },
      style,
      START + 61_000,
    );
    expect(lines[0]).toContain('failed');
    expect(lines[1]).toContain('failed');
    expect(lines.join('\n')).toContain('and 495 running more');
    expect(lines.join('\n')).toContain('waiting  9498 items');
    expect(lines.at(-1)).toContain('1:01  2/10000  2 failed');
  });

  it('keeps the selected item in sight', () => {
    const big = model(100, 60, 0);
    const last = selectable(big, false).at(-1)?.id;
    const lines = footerLines(big, { ...nothing, selected: last }, { columns: 80, rows: 30 }, style, START);
    expect(lines.join('\n')).toContain(`> ${last}`);
    expect(footerRows(30)).toBe(10);
  });

  it('with f shows only what failed', () => {
    const lines = footerLines(
      model(100, 5, 1),
      { ...nothing, failedOnly: true },
      { columns: 80, rows: 30 },
      style,
      START,
    );
    expect(lines.length).toBe(2);
    expect(lines[0]).toContain('failed');
  });
});

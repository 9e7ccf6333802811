import { describe, expect, it } from 'vitest';
import { Recording } from './double/record.ts';
import { Place } from './place.ts';
import { Tmux } from './terminal.ts';

/** Items that finish bit by bit over `spreadMs`, named so that each finished line is one of a kind. */
function longScenario(items: number, spreadMs: number) {
  const recording = new Recording('run_long', 'long');
  const name = (i: number): string => `item-${String(i).padStart(5, '0')}`;
  for (let i = 0; i < items; i++) recording.item(name(i));
  for (let i = 0; i < items; i++) {
    recording.visibleAfter(2_000 + (i * spreadMs) / items);
    recording.started(name(i));
    if (i % 500 === 7) recording.reconciled(name(i), 'failed', { reason: 'exit 1' });
    else recording.reconciled(name(i), 'done');
  }
  recording.log(name(7), 'the last words of item 7');
  recording.visibleAfter(3_000 + spreadMs).completed('failed');
  return { scenario: { runs: [recording.build()] }, name };
}

const finishedLines = (lines: readonly string[]): string[] =>
  lines.flatMap((line) => /^[✓✗] (?:ok|failed) +(item-\d+) /.exec(`${line} `)?.[1] ?? []);

describe('the live view', () => {
  it('writes every finished line into the scrollback exactly once, through resizes', async () => {
    const items = 60;
    const { scenario, name } = longScenario(items, 8_000);
    using place = new Place(scenario);
    using tmux = new Tmux(place, ['watch', 'run_long', '--progress', 'live'], { columns: 100, rows: 30 });
    await tmux.until((screen) => screen.includes('q detach'));
    let columns = 100;
    const end = performance.now() + 60_000;
    while (!tmux.screen().includes('ended with') && performance.now() < end) {
      columns = columns === 100 ? 40 : 100;
      tmux.resize(columns, columns === 100 ? 30 : 16);
      await new Promise((resolve) => {
        setTimeout(resolve, 300);
      });
    }
    await tmux.until((screen) => screen.includes('ended with 1'));
    tmux.resize(100, 30);
    const shown = finishedLines(tmux.history());
    // The summary repeats the one failure in full.
    expect(shown.toSorted()).toEqual(
      [...Array.from({ length: items }, (_, i) => name(i)), name(7)].toSorted(),
    );
    expect(tmux.history().join('\n')).not.toContain('j k select');
  }, 120_000);

  it('keeps up with 10,000 items in a footer of at most ten rows', async () => {
    const { scenario } = longScenario(10_000, 5_000);
    using place = new Place(scenario);
    using tmux = new Tmux(place, ['watch', 'run_long', '--progress', 'live'], { columns: 80, rows: 30 });
    const screen = await tmux.until((text) => text.includes('j k select'));
    const rows = screen.split('\n').filter((line) => line.trim() !== '');
    expect(rows.length).toBeLessThanOrEqual(30);
    await tmux.until((text) => text.includes('ended with 1'), 100_000);
    expect(tmux.screen()).toContain('9980 ok, 20 failed of 10000');
  }, 150_000);

  it('q leaves, says how to come back, and gives the terminal back; so does Ctrl-C', async () => {
    for (const key of ['q', 'C-c']) {
      const recording = new Recording('run_open', 'open').with({ sealed: false }).item('a').started('a');
      using place = new Place({ runs: [recording.build()] });
      using tmux = new Tmux(place, ['watch', 'run_open', '--progress', 'live'], { columns: 100, rows: 24 });
      await tmux.until((screen) => screen.includes('j k select'));
      tmux.keys(key);
      const screen = await tmux.until((text) => text.includes('ended with'));
      expect(screen).toContain('ended with 130');
      expect(screen).toContain('detached: run_open goes on');
      expect(screen).toContain('next: pal watch run_open');
      expect(screen).toContain('next: pal cancel run_open');
      expect(screen).not.toContain('j k select');
    }
  }, 120_000);

  it('l shows the end of the selected log, f only what failed', async () => {
    const recording = new Recording('run_open', 'open').with({ sealed: false }).item('a').item('b');
    recording
      .started('a')
      .started('b')
      .log('b', 'why it broke')
      .reconciled('b', 'failed', { reason: 'exit 4' });
    using place = new Place({ runs: [recording.build()] });
    using tmux = new Tmux(place, ['watch', 'run_open', '--progress', 'live'], { columns: 100, rows: 30 });
    await tmux.until((screen) => screen.includes('j k select'));
    tmux.keys('j');
    await tmux.until((screen) => screen.includes('> b'));
    tmux.keys('l');
    await tmux.until((screen) => screen.includes('why it broke'));
    tmux.keys('l', 'f');
    await tmux.until((screen) => screen.includes('failed only') && !screen.includes('running'));
    tmux.keys('q');
    await tmux.until((screen) => screen.includes('ended with 130'));
  }, 120_000);
});

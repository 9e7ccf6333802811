import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Recording } from './double/record.ts';
import { Place } from './place.ts';
import { Tmux } from './terminal.ts';

const gates = mkdtempSync(join(tmpdir(), 'palisade-gates-'));
afterAll(() => rmSync(gates, { recursive: true, force: true }));

/** Items that finish bit by bit over `spreadMs` once `open` is called, so that each finished line is one of a kind. */
function longScenario(items: number, spreadMs: number) {
  const recording = new Recording('run_long', 'long');
  const name = (i: number): string => `item-${String(i).padStart(5, '0')}`;
  for (let i = 0; i < items; i++) recording.item(name(i));
  for (let i = 0; i < items; i++) {
    recording.visibleAfter((i * spreadMs) / items);
    recording.started(name(i));
    if (i % 500 === 7) recording.reconciled(name(i), 'failed', { reason: 'exit 1' });
    else recording.reconciled(name(i), 'done');
  }
  recording.log(name(7), 'the last words of item 7');
  recording.visibleAfter(spreadMs + 500).completed('failed');
  const gate = join(gates, `${items}`);
  return { scenario: { runs: [recording.build()], gate }, name, open: () => writeFileSync(gate, '') };
}

describe('the live view', () => {
  it('DI-262: every line of a session is in the scrollback once, whatever the window does meanwhile', async () => {
    const items = 60;
    const { scenario, name, open } = longScenario(items, 6_000);
    using place = new Place(scenario);
    using tmux = new Tmux(place, ['watch', 'run_long', '--progress', 'live'], { columns: 100, rows: 30 });
    await tmux.until((screen) => screen.includes('j k select'));
    open();
    let columns = 100;
    const end = performance.now() + 60_000;
    while (!tmux.screen().includes('ended with') && performance.now() < end) {
      columns = columns === 100 ? 40 : 100;
      tmux.resize(columns, columns === 100 ? 30 : 16);
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    await tmux.until((screen) => screen.includes('ended with 1'));
    tmux.resize(100, 30);
    const lines = tmux.history().filter((line) => line !== '');
    const finished = lines.flatMap((line) => /^✓ ok +(item-\d+) +\d+:\d\d$/.exec(line)?.[1] ?? []);
    expect(finished).toEqual(Array.from({ length: items }, (_, i) => name(i)).filter((id) => id !== name(7)));
    // Besides: the header, the failure as it happened and in the summary, its log, the end, two hints, the shell's word.
    const rest = lines.filter((line) => !line.startsWith('✓'));
    expect(rest.map((line) => line.replace(/\d+:\d\d/, 'TIME'))).toEqual([
      'run_long  long  60 items',
      '✗ failed   item-00007    exit 1  TIME',
      '✗ failed   item-00007    exit 1',
      '         the last words of item 7',
      '✗ failed   run_long      long  59 ok, 1 failed of 60  TIME  sealed',
      'next: pal explain run_long/item-00007',
      'next: pal rerun run_long --only-failed',
      'ended with 1',
    ]);
  }, 120_000);

  it('keeps up with 10,000 items in a footer of at most ten rows', async () => {
    const { scenario, open } = longScenario(10_000, 5_000);
    using place = new Place(scenario);
    using tmux = new Tmux(place, ['watch', 'run_long', '--progress', 'live'], { columns: 80, rows: 30 });
    const screen = await tmux.until((text) => text.includes('j k select'));
    expect(screen).toContain('10000 items');
    open();
    const busy = await tmux.until((text) => /^(?:\d+:)+\d\d {2}[1-9]\d*\/10000 /m.test(text));
    const footer = busy
      .trimEnd()
      .split('\n')
      .filter((line) => !/^[✓✗] /.test(line));
    expect(footer.length).toBeLessThanOrEqual(10);
    await tmux.until((text) => text.includes('ended with 1'), 100_000);
    expect(tmux.screen()).toContain('9980 ok, 20 failed of 10000');
  }, 150_000);

  it('DI-262: shows what is wrong first, folds what does not fit, and names it all in words', async () => {
    const recording = new Recording('run_many', 'many').with({ sealed: false, cost_usd: 0.4 });
    for (let i = 0; i < 40; i++)
      recording.item(`step-${i}`, {
        title: i === 0 ? 'a title that is much longer than a narrow window has room for' : `step-${i}`,
      });
    for (let i = 0; i < 20; i++) recording.started(`step-${i}`);
    recording.reconciled('step-3', 'failed', {
      reason: 'exit 3: no such file',
      product: { usage: { cost_usd: 0.25 } },
    });
    recording.reconciled('step-5', 'retrying', { exit_code: 1, reason: 'exit 1' });
    recording.reconciled('step-7', 'done', { product: { usage: { cost_usd: 0.15 } } });
    using place = new Place({ runs: [recording.build()] });
    const screens: string[] = [];
    for (const [columns, rows] of [
      [80, 24],
      [200, 50],
      [40, 12],
    ] as const) {
      using tmux = new Tmux(place, ['watch', 'run_many', '--progress', 'live'], { columns, rows });
      await tmux.until((screen) => screen.includes('2/40'));
      tmux.keys('j');
      const screen = await tmux.until((text) => text.includes('> step'));
      // Times are since 2026 and long: their digits differ, their place does not.
      screens.push(`=== ${columns} x ${rows}\n${screen.replaceAll(/\d+(?::\d\d)+/g, 'TIME').trimEnd()}`);
      tmux.keys('q');
      await tmux.until((text) => text.includes('ended with 130'));
    }
    await expect(`${screens.join('\n')}\n`).toMatchFileSnapshot('golden/live.txt');
  }, 120_000);

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

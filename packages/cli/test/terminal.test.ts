import { describe, expect, it } from 'vitest';
import { furnished, RUN, scenario } from './cases.ts';
import { Recording } from './double/record.ts';
import { Place } from './place.ts';
import { onTerminal } from './terminal.ts';

function manyEvents(): Place {
  const recording = new Recording('run_long', 'long').item('a');
  for (let i = 0; i < 40; i++) recording.started('a', i + 1);
  recording.log('a', ...Array.from({ length: 40 }, (_, i) => `line ${i}`));
  return new Place({ runs: [recording.reconciled('a', 'done').completed('completed').build()] });
}

describe('a real terminal', () => {
  it('gets the same bytes as the one that the other tests make', async () => {
    for (const args of [['status'], ['show', RUN], ['show', 'nope']]) {
      using real = furnished(scenario());
      const { screen, code } = await onTerminal(real, args, 80);
      using made = furnished(scenario());
      const shown = await made.pal(args, { window: { columns: 80, rows: 30 } });
      expect({ screen: screen.replaceAll('\r\n', '\n'), code }).toEqual({
        screen: shown.stdout,
        code: shown.code,
      });
    }
  }, 60_000);

  it('hands text that is longer than the window to $PAGER, and nothing else', async () => {
    const PAGER = 'tr a-z A-Z';
    using place = manyEvents();
    const paged = async (args: string[], env: Record<string, string> = { PAGER }) => {
      const { screen } = await onTerminal(place, args, 80, env);
      return (
        screen.includes('ITEM.FIRED') || screen.includes('LINE 39') || screen.includes('DONE; FOR WATCH')
      );
    };
    for (const args of [
      ['events', '-'],
      ['logs', '-/a'],
      ['help', 'exit-codes'],
    ])
      expect(await paged(args), args.join(' ')).toBe(args[0] !== 'help');
    for (const [args, env] of [
      [['logs', '-/a', '--tail', '3'], { PAGER }],
      [['events', '-', '--follow'], { PAGER }],
      [['events', '-', '-q'], { PAGER }],
      [['events', '-', '--format', 'ndjson'], { PAGER }],
      [['events', '-'], { PAGER, ACCESSIBLE: '1' }],
      [['events', '-'], { PAGER, AI_AGENT: 'claude' }],
      [['events', '-'], { PAGER: '' }],
    ] as const)
      expect(await paged([...args], env), args.join(' ')).toBe(false);
    // A pager that is not there, or is left early, loses nothing and fails nothing.
    const missing = await onTerminal(place, ['events', '-'], 80, { PAGER: 'no-such-pager' });
    expect(missing.screen).toContain('run.completed');
    expect(missing.code).toBe(0);
    expect((await onTerminal(place, ['logs', '-/a'], 80, { PAGER: 'head -1' })).code).toBe(0);
  }, 120_000);
});

import { describe, expect, it } from 'vitest';
import { HARDEN, hardenScenario } from './double/harden.ts';
import { Place } from './place.ts';
import { onTerminal } from './terminal.ts';

const ended = hardenScenario();
const scenario = { ...ended, runs: ended.runs.slice(0, 1) };
const ref = HARDEN.slice(0, 20);
const cases: readonly (readonly [string, readonly string[]])[] = [
  ['status', []],
  ['show', ['show', ref]],
  ['watch', ['watch', ref]],
  ['logs', ['logs', `${ref}/lint`]],
  ['events', ['events', ref]],
  ['explain', ['explain', `${ref}/publish`]],
  ['cancel', ['cancel', ref]],
  ['unknown-run', ['show', 'nope']],
  ['typo', ['stauts']],
  ['missing-argument', ['logs']],
  ['help', ['--help']],
  ['help-run', ['run', '--help']],
  ['exit-codes', ['help', 'exit-codes']],
];

const mannered = [
  [{}, '80'],
  [{ AI_AGENT: 'claude' }, '200'],
  [{ ACCESSIBLE: '1' }, '20'],
] as const;

describe('what commands print', () => {
  for (const [name, args] of cases) {
    it(`${name}: the same bytes to a pipe whoever reads and however wide it says to be`, async () => {
      using place = new Place(scenario);
      let first: string | undefined;
      for (const [env, columns] of mannered) {
        const { stdout, stderr, code } = await place.pal(args, { env: { ...env, COLUMNS: columns } });
        const text = `exit ${code}\n--- stdout\n${stdout}--- stderr\n${stderr}`;
        first ??= text;
        expect(text).toBe(first);
      }
      await expect(first).toMatchFileSnapshot(`golden/${name}.pipe.txt`);
    });

    for (const columns of [80, 200]) {
      it(`${name}: on a terminal of ${columns} columns`, async () => {
        using place = new Place(scenario);
        const { screen, code } = await onTerminal(place, args, columns);
        await expect(`exit ${code}\n${visible(screen)}`).toMatchFileSnapshot(
          `golden/${name}.tty-${columns}.txt`,
        );
      });
    }

    it(`${name}: for a screen reader on a terminal nothing moves`, async () => {
      using place = new Place(scenario);
      const { screen, code } = await onTerminal(place, args, 80, { ACCESSIBLE: '1', NO_COLOR: '1' });
      expect(screen).not.toContain('\u001B');
      await expect(`exit ${code}\n${visible(screen)}`).toMatchFileSnapshot(`golden/${name}.accessible.txt`);
    });
  }
});

/** Escapes made readable. Of the live view's frames only finished lines stay: how many footers were drawn depends on speed. */
function visible(screen: string): string {
  return screen
    .replaceAll(/\u001B\[\?2026h\r \u001B\[J\r([^]*?)\u001B\[\?2026l/g, (_, frame: string) =>
      finishedOf(frame),
    )
    .replaceAll('\r\n', '\n')
    .replaceAll('\u001B', '<ESC>');
}

function finishedOf(frame: string): string {
  const up = /\u001B\[(\d+)A\r\u001B\[\?7h$/.exec(frame);
  const footer = up === null ? 1 : Number(up[1]) + 1;
  return frame
    .split('\r\n')
    .slice(0, -footer)
    .map((line) => `${line}\r\n`)
    .join('');
}

import { describe, expect, test } from 'vitest';
import { noItems } from './states.ts';
import { lacksEngine, waitsForPeople } from './run-needs.ts';
import type { RunView } from './run-views.ts';

const NOW = 1_000;

const counts = (needs_input: number): RunView['counts'] => ({ ...noItems(), needs_input });

function run(changes: Partial<RunView>): RunView {
  return {
    id: 'run_1',
    kind: 'plan',
    title: 'a run',
    queue: 'default',
    state: 'running',
    actor: 'human:somebody',
    submitted_at: 0,
    cancel_requested: false,
    owned: false,
    sealed: false,
    counts: counts(0),
    workspace: { kind: 'empty' },
    ...changes,
  };
}

const asking = { state: 'waiting', counts: counts(1), open_requests: 1 } as const;

describe('whether a run lacks an engine', () => {
  test.each([
    ['runs and nobody owns it', {}, true],
    ['is owned', { owned: true }, false],
    ['has ended and is not sealed', { state: 'completed' }, true],
    ['has ended and is sealed', { state: 'completed', sealed: true }, false],
    ['is paused', { state: 'waiting', paused: { by: 'human:a', at: 1 } }, false],
    ['waits for a person', asking, false],
    ['has an answer that nobody took up', { ...asking, open_requests: 0 }, true],
    ['has one answer of two', { ...asking, counts: counts(2) }, true],
    ['waits for a person past its time', { ...asking, wakes_at: NOW }, true],
    ['waits for a person and is to be canceled', { ...asking, cancel_requested: true }, true],
  ] as const)('DI-192: one that %s', (_what, changes, lacks) => {
    expect(lacksEngine(run(changes), NOW)).toBe(lacks);
  });

  test('DI-192: a run waits for people until the nearest of its times', () => {
    expect(waitsForPeople(run({ ...asking, wakes_at: NOW + 1 }), NOW)).toBe(true);
    expect(waitsForPeople(run({ ...asking, wakes_at: NOW }), NOW)).toBe(false);
  });
});

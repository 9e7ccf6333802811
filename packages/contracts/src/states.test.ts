import { describe, expect, it } from 'vitest';
import { isPalisadeError } from './errors.ts';
import {
  assertItemTransition,
  ITEM_STATES,
  ITEM_TERMINAL,
  type ItemState,
  nextRunState,
  RUN_STATES,
  RUN_TERMINAL,
  type RunState,
  type RunTransition,
} from './states.ts';

// Written out by hand from the rules, so that a changed table is noticed.
const runTable: Record<RunTransition, { from: readonly RunState[]; to: RunState }> = {
  provision: { from: ['queued'], to: 'provisioning' },
  start: { from: ['queued', 'provisioning'], to: 'running' },
  wait: { from: ['running'], to: 'waiting' },
  resume: { from: ['waiting'], to: 'running' },
  complete: { from: ['running'], to: 'completed' },
  cancel: { from: ['queued', 'provisioning', 'running', 'waiting'], to: 'canceled' },
  fail: { from: ['queued', 'provisioning', 'running', 'waiting'], to: 'failed' },
  timeout: { from: ['queued', 'provisioning', 'running', 'waiting'], to: 'timed_out' },
  exhaust_budget: { from: ['running', 'waiting'], to: 'budget_exceeded' },
};
const itemArcs: ReadonlySet<string> = new Set([
  'pending ready',
  'pending skipped',
  'pending canceled',
  'pending denied',
  'ready running',
  'ready failed',
  'ready skipped',
  'ready canceled',
  'ready denied',
  'running done',
  'running failed',
  'running ready',
  'running canceled',
]);

const outcome = (action: () => unknown): unknown => {
  try {
    return action();
  } catch (error) {
    if (isPalisadeError(error)) return error.code;
    throw error;
  }
};

describe('run machine', () => {
  it('EX-083: every pair of state and transition does what the table says', () => {
    for (const state of RUN_STATES) {
      for (const transition of Object.keys(runTable) as RunTransition[]) {
        const { from, to } = runTable[transition];
        expect(
          outcome(() => nextRunState(state, transition)),
          `${state} ${transition}`,
        ).toBe(from.includes(state) ? to : 'invalid_state');
      }
    }
  });

  it('EX-082: a terminal state is never a source, every other state is', () => {
    const sources = new Set(Object.values(runTable).flatMap(({ from }) => from));
    for (const state of RUN_STATES) expect(RUN_TERMINAL.has(state)).toBe(!sources.has(state));
    for (const terminal of RUN_TERMINAL)
      for (const transition of Object.keys(runTable) as RunTransition[])
        expect(outcome(() => nextRunState(terminal, transition))).toBe('invalid_state');
  });

  it('EX-082: every state is reachable from queued', () => {
    const reached = new Set<RunState>(['queued']);
    for (let before = 0; before !== reached.size; ) {
      before = reached.size;
      for (const state of reached)
        for (const { from, to } of Object.values(runTable)) if (from.includes(state)) reached.add(to);
    }
    expect([...reached].sort()).toEqual([...RUN_STATES].sort());
  });
});

describe('item machine', () => {
  it('DI-165: every pair of states is an arc exactly when the table says so', () => {
    for (const from of ITEM_STATES)
      for (const to of ITEM_STATES)
        expect(
          outcome(() => assertItemTransition(from, to)),
          `${from} ${to}`,
        ).toBe(itemArcs.has(`${from} ${to}`) ? undefined : 'invalid_state');
  });

  it('DI-165: there is one terminal set, denied included, and nothing leaves it', () => {
    expect([...ITEM_TERMINAL].sort()).toEqual(['canceled', 'denied', 'done', 'failed', 'skipped']);
    const isSource = (state: ItemState): boolean => [...itemArcs].some((arc) => arc.startsWith(`${state} `));
    for (const state of ITEM_STATES) expect(ITEM_TERMINAL.has(state)).toBe(!isSource(state));
  });
});

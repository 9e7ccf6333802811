import { describe, expect, it } from 'vitest';
import { isPalisadeError } from './errors.ts';
import {
  assertItemTransition,
  assertRunTransition,
  ITEM_STATES,
  ITEM_TERMINAL,
  type ItemState,
  RUN_STATES,
  RUN_TERMINAL,
  type RunState,
} from './states.ts';

// Written out by hand from the rules, so that a changed table is noticed.
const runArcs: ReadonlySet<string> = new Set([
  'queued provisioning',
  'queued running',
  'queued canceled',
  'queued failed',
  'queued timed_out',
  'provisioning running',
  'provisioning canceled',
  'provisioning failed',
  'running waiting',
  'running completed',
  'running canceled',
  'running failed',
  'running timed_out',
  'running budget_exceeded',
  'waiting running',
  'waiting canceled',
  'waiting failed',
  'waiting timed_out',
  'waiting budget_exceeded',
]);
const itemArcs: ReadonlySet<string> = new Set([
  'pending ready',
  'pending skipped',
  'pending canceled',
  'pending denied',
  'ready running',
  'ready failed',
  'ready canceled',
  'ready denied',
  'running done',
  'running failed',
  'running ready',
  'running canceled',
  'ready needs_input',
  'running needs_input',
  'needs_input ready',
  'needs_input done',
  'needs_input failed',
  'needs_input canceled',
  'needs_input denied',
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
  it('EX-083: every pair of states is an arc exactly when the table says so', () => {
    for (const from of RUN_STATES)
      for (const to of RUN_STATES)
        expect(
          outcome(() => assertRunTransition(from, to)),
          `${from} ${to}`,
        ).toBe(runArcs.has(`${from} ${to}`) ? undefined : 'invalid_state');
  });

  it('EX-082: a terminal state is never a source, every other state is', () => {
    const isSource = (state: RunState): boolean => [...runArcs].some((arc) => arc.startsWith(`${state} `));
    for (const state of RUN_STATES) expect(RUN_TERMINAL.has(state)).toBe(!isSource(state));
  });

  it('EX-082: every state is reachable from queued', () => {
    const reached = new Set<string>(['queued']);
    for (const state of reached)
      for (const to of RUN_STATES) if (runArcs.has(`${state} ${to}`)) reached.add(to);
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

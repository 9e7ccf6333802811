import { expect, test } from 'vitest';
import type { FrozenPlan } from '../plans/frozen-plan.ts';
import { PlanGraph } from './plan-graph.ts';
import { Stage } from './stage.ts';

/** Two items, the second after the first. */
function stage(): Stage {
  const item = (id: string, dependsOn: string[]) => ({ id, dependsOn, locks: [], needs: [] });
  const plan: Partial<FrozenPlan> = { items: [item('a', []), item('b', ['a'])] as never };
  return new Stage(new PlanGraph(plan as FrozenPlan, new Map()));
}

test('DI-165: what no item may do is refused before it is committed, and changes nothing of the step', () => {
  const step = stage();
  step.set(0, { state: 'running', attempt: 1 });
  step.set(0, { state: 'done' });
  for (const state of ['running', 'failed', 'ready', 'canceled'] as const)
    expect(() => step.set(0, { state })).toThrow(expect.objectContaining({ code: 'invalid_state' }));
  expect(() => step.set(1, { state: 'done' })).toThrow(expect.objectContaining({ code: 'invalid_state' }));
  expect([step.facts(0).state, step.facts(1).state, step.freed]).toEqual(['done', 'pending', [1]]);
});

test('DI-165: an item that is tried again and started, or canceled, in one step goes every arc of its way', () => {
  const step = stage();
  for (const state of ['running', 'ready', 'running', 'ready', 'canceled'] as const) step.set(0, { state });
  step.set(1, { state: 'skipped' });
  expect(step.isFinished).toBe(true);
});

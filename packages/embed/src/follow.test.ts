import { getRun, listEvents, type Operation, type OperationCaller } from '@palisade/contracts';
import { expect, test } from 'vitest';
import { Calls } from './calls.ts';
import { followEvents } from './follow.ts';

/** A run's pages and views, one after another; counts what is asked and how often an engine was wanted. */
function scripted(pages: readonly (readonly string[])[], views: readonly object[]) {
  const asked = { events: 0, views: 0, engines: 0 };
  let seq = -1;
  const answers = (operation: Operation): unknown => {
    if (operation.id === listEvents.id) {
      const page = pages[asked.events++] ?? [];
      return { data: page.map((type) => ({ seq: ++seq, type })), has_more: false, sealed: false };
    }
    if (operation.id !== getRun.id) throw new Error(`${operation.id} was not expected`);
    return { run: { counts: {}, ...views[asked.views++] }, items: [], last_seq: seq };
  };
  const caller = { call: async (operation: Operation) => answers(operation) } as OperationCaller;
  const calls = new Calls(caller, async () => {
    asked.engines++;
  });
  return { asked, calls };
}

async function types(calls: Calls): Promise<string[]> {
  const seen: string[] = [];
  for await (const event of followEvents(calls, 'run_1', -1, undefined)) seen.push(event.type);
  return seen;
}

test('DI-002: no engine is started again and again for a run that waits for a person or is paused', async () => {
  const asking = { state: 'waiting', open_requests: 1, counts: { needs_input: 1 } };
  const { asked, calls } = scripted(
    [['run.submitted'], [], [], [], ['run.completed']],
    [asking, asking, { state: 'waiting', paused: {} }, { state: 'completed' }],
  );
  expect(await types(calls)).toEqual(['run.submitted', 'run.completed']);
  expect(asked.engines).toBe(0);
});

test('DI-179: a view is asked for when nothing comes or the run ended, not with every page', async () => {
  const { asked, calls } = scripted(
    [['run.submitted'], ['item.fired'], ['item.reconciled'], [], ['run.completed']],
    [{ state: 'running' }, { state: 'completed' }],
  );
  expect(await types(calls)).toHaveLength(4);
  expect(asked).toEqual({ events: 5, views: 2, engines: 1 });
});

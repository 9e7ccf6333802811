import { getRun, type OperationCaller, PalisadeError, putSecret, type RunView } from '@palisade/contracts';
import { expect, test } from 'vitest';
import { Calls } from './calls.ts';

/** A control plane that is busy for some calls, then answers each with its context. */
function busyFor(times: number): { readonly caller: OperationCaller; readonly contexts: object[] } {
  const contexts: object[] = [];
  const call = async (_operation: unknown, _input: unknown, context: object = {}): Promise<never> => {
    contexts.push(context);
    if (contexts.length <= times) throw new PalisadeError('database_busy', 'busy');
    return { run: {} as RunView } as never;
  };
  return { caller: { call }, contexts };
}

test('a call whose failure is temporary is made again, a change under one key', async () => {
  const busy = busyFor(2);
  const calls = new Calls(busy.caller, async () => {});
  await calls.call(putSecret, { name: 'a', value: 'b' });
  const [first] = busy.contexts;
  expect(busy.contexts).toEqual([first, first, first]);
  expect(first).toMatchObject({ idempotencyKey: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  await calls.call(getRun, { run: '-' });
  expect(busy.contexts.at(-1)).toEqual({});
});

test('it is not tried for ever, and not at all when trying cannot help', async () => {
  const busy = busyFor(1_000);
  await expect(new Calls(busy.caller, async () => {}).call(getRun, { run: '-' })).rejects.toMatchObject({
    code: 'database_busy',
  });
  expect(busy.contexts.length).toBeGreaterThan(2);
  expect(busy.contexts.length).toBeLessThan(50);
  let asked = 0;
  const refuses: OperationCaller = {
    call: () => {
      asked++;
      return Promise.reject(new PalisadeError('not_found', 'none'));
    },
  };
  await expect(new Calls(refuses, async () => {}).call(getRun, { run: '-' })).rejects.toMatchObject({
    code: 'not_found',
  });
  expect(asked).toBe(1);
});

test('closing waits for calls under way and refuses later ones', async () => {
  const gate = Promise.withResolvers<never>();
  const calls = new Calls({ call: () => gate.promise }, async () => {});
  const under = calls.call(getRun, { run: '-' });
  let isClosed = false;
  const closing = calls.close().then(() => (isClosed = true));
  await Promise.resolve();
  expect(isClosed).toBe(false);
  gate.resolve({ run: {} } as never);
  await under;
  await closing;
  await expect(calls.call(getRun, { run: '-' })).rejects.toMatchObject({ code: 'invalid_state' });
});

import { expect, it } from 'vitest';
import * as z from 'zod';
import { type Caller, hostCaller } from './caller.ts';
import { bindOperation, callerOf, operation } from './operation.ts';

const greet = operation({
  id: 'people.greet',
  method: 'POST',
  path: '/v1/projects/{project}/people/{name}/greet',
  summary: 'Greets',
  effect: 'read',
  access: 'read',
  input: z.strictObject({ name: z.string().trim().min(1), times: z.int().default(1) }),
  output: z.strictObject({ text: z.string() }),
  errors: [],
});
const bound = bindOperation(greet, async ({ name, times }, { actor }) => ({
  text: `${actor} greets ${name} ${times} times`,
}));

it('a handler sees parsed input, defaults filled in, and the caller', async () => {
  const caller = callerOf([bound], 'human:ada');
  expect(await caller.call(greet, { name: ' bob ' })).toEqual({ text: 'human:ada greets bob 1 times' });
  expect(await caller.call(greet, { name: 'bob', times: 2 }, { actor: 'human:eve' })).toEqual({
    text: 'human:eve greets bob 2 times',
  });
});

it('malformed and unknown fields are refused before the handler, every problem at once', async () => {
  const wrong = { name: '', times: 1.5, extra: true } as never;
  await expect(callerOf([bound]).call(greet, wrong)).rejects.toMatchObject({
    code: 'invalid_input',
    issues: [{ path: 'name' }, { path: 'times' }, { path: '(top)' }],
  });
});

it('an operation is bound exactly once', async () => {
  expect(() => callerOf([bound, bound])).toThrow('bound twice');
  await expect(callerOf([]).call(greet, { name: 'x' })).rejects.toMatchObject({ code: 'internal' });
});

it('EX-020 EX-198: a caller without the scope is refused, and one of another project told what everybody is told of an absent one', async () => {
  const context = (more: Partial<Caller>, project = 'a') => ({
    actor: 'agent:x',
    caller: { ...hostCaller('agent:x'), ...more },
    project,
  });
  const call = (more: Partial<Caller>, project?: string) =>
    bound.handler({ name: 'bob' }, context(more, project));
  await expect(call({ scopes: new Set(['write', 'system']) })).rejects.toMatchObject({
    code: 'operation_not_permitted',
  });
  await expect(call({ project: 'a' })).resolves.toBeDefined();
  await expect(call({ project: 'b' })).rejects.toMatchObject({
    code: 'not_found',
    message: 'there is no project a',
  });
  // Whether it would have had the right is not told of a project that it may not see.
  await expect(call({ project: 'b', scopes: new Set() })).rejects.toMatchObject({ code: 'not_found' });
});

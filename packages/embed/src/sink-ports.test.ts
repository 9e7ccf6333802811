import { PalisadeError } from '@palisade/contracts';
import { expect, test } from 'vitest';
import { Calls } from './calls.ts';
import { sinkPorts } from './sink-ports.ts';

/** What loading `nightly` gives when asking for it gives `answer`. */
function loaded(answer: () => unknown) {
  const calls = new Calls({ call: async () => answer() as never }, async () => {});
  return sinkPorts(calls, [{ name: 's', collect: () => {} }])[0]?.load('nightly');
}
const run = (id: string) => () => ({ run: { id, state: 'completed' }, items: [] });
const fails = (error: Error) => () => {
  throw error;
};

test('DI-085: only that the run itself is not there says that it is not kept any more', async () => {
  expect(await loaded(run('nightly'))).toMatchObject({ id: 'nightly', ok: true });
  expect(await loaded(fails(new PalisadeError('not_found', 'no run nightly')))).toBeNull();
  // Of a run that was retired the id may be the start of others.
  expect(await loaded(run('nightly-2'))).toBeNull();
  expect(await loaded(fails(new PalisadeError('ambiguous_id', 'several')))).toBeNull();
  await expect(loaded(fails(new PalisadeError('internal', 'broken')))).rejects.toThrow('broken');
  await expect(loaded(fails(new Error('broken')))).rejects.toThrow('broken');
});

import { expect, it } from 'vitest';
import { PalisadeError } from './errors.ts';
import { retryTemporary } from './retry.ts';

const failing = (error: () => Error, times = Infinity) => {
  let calls = 0;
  return {
    call: async () => {
      if (calls++ < times) throw error();
      return calls;
    },
    calls: () => calls,
  };
};
const busy = () => new PalisadeError('database_busy', 'busy');

it('makes a call again until it succeeds, and says so each time', async () => {
  const { call } = failing(busy, 2);
  const told: string[] = [];
  const onRetry = ({ code }: PalisadeError) => void told.push(code);
  expect(await retryTemporary(call, { patienceMs: 10_000, onRetry })).toBe(3);
  expect(told).toEqual(['database_busy', 'database_busy']);
});

it('never again what fails for good, is no failure of ours, or would come too late', async () => {
  for (const error of [
    () => new PalisadeError('not_found', 'none'),
    () => new TypeError('a fault'),
    () => new PalisadeError('rate_limited', 'later', { retryAfterMs: 60_000 }),
  ]) {
    const { call, calls } = failing(error);
    await expect(retryTemporary(call, { patienceMs: 1_000 })).rejects.toThrow();
    expect(calls()).toBe(1);
  }
});

it('waits no shorter than the failure says', async () => {
  const { call } = failing(() => new PalisadeError('rate_limited', 'later', { retryAfterMs: 300 }), 1);
  const began = performance.now();
  await retryTemporary(call, { patienceMs: 5_000 });
  expect(performance.now() - began).toBeGreaterThan(290);
});

it('ends with the reason of a signal', async () => {
  const { call } = failing(() => new PalisadeError('rate_limited', 'later', { retryAfterMs: 5_000 }));
  const stop = new AbortController();
  const end = retryTemporary(call, { patienceMs: 60_000, signal: stop.signal });
  setTimeout(() => stop.abort(new Error('left')), 30);
  await expect(end).rejects.toThrow('left');
});

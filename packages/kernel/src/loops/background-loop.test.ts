import { expect, it, onTestFinished } from 'vitest';
import { BackgroundLoop } from './background-loop.ts';

it('EX-098: a loop outlives every way a round can fail, also a report that fails, and counts them', async () => {
  const seen: [unknown, number][] = [];
  let rounds = 0;
  const ways = [
    () => {
      throw new Error('thrown at once');
    },
    async () => Promise.reject(new Error('rejected')),
    async () => Promise.reject(undefined),
  ];
  const loop = new BackgroundLoop({
    name: 'test',
    everyMs: 5,
    round: async () => ways[rounds++]?.(),
    onFault: (error, restarts) => {
      seen.push([error, restarts]);
      throw new Error('the report has no room');
    },
  });
  onTestFinished(() => loop.stop());
  await expect.poll(() => rounds, { timeout: 20_000 }).toBeGreaterThan(ways.length + 3);
  expect(loop.restarts).toBe(3);
  expect(seen.map(([error, restarts]) => [String(error), restarts])).toEqual([
    ['Error: thrown at once', 1],
    ['Error: rejected', 2],
    ['undefined', 3],
  ]);
});

it('EX-098: stopping ends a pause at once and waits for the round under way, which is told', async () => {
  const pausing = new BackgroundLoop({
    name: 'pausing',
    everyMs: 3_600_000,
    round: async () => {},
    onFault: () => {},
  });
  await expect.poll(() => pausing.isBusy).toBe(false);
  await pausing.stop();
  let isDone = false;
  const faults: unknown[] = [];
  const working = new BackgroundLoop({
    name: 'working',
    everyMs: 1,
    round: async (signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      isDone = true;
      signal.throwIfAborted();
    },
    onFault: (error) => faults.push(error),
  });
  expect(working.isBusy).toBe(true);
  await working.stop();
  expect([isDone, working.isBusy, faults]).toEqual([true, false, []]);
});

import { expect, it } from 'vitest';
import { until } from './until.ts';

it('AO-105: what fails is tried again ever more rarely, until it succeeds or is called off', async () => {
  const times: number[] = [];
  await until(
    new AbortController().signal,
    async () => {
      times.push(performance.now());
      if (times.length < 6) throw new Error('not now');
    },
    { againMs: 20, mostMs: 160 },
  );
  const waits = times.slice(1).map((time, at) => time - (times[at] ?? 0));
  // Half to three halves of 20, 40, 80, 160 and 160.
  for (const [at, least] of [9, 19, 39, 79, 79].entries()) expect(waits[at]).toBeGreaterThanOrEqual(least);
  const off = AbortSignal.timeout(50);
  await expect(
    until(off, () => Promise.reject(new Error('never')), { againMs: 60_000, mostMs: 60_000 }),
  ).rejects.toThrow('aborted');
});

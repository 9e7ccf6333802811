import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Share } from './share.ts';
import { Turns } from './turns.ts';

const { signal } = new AbortController();
const turns = () => new Turns(new Share('large bodies', { perCaller: 2, inAll: 4 }));

it('one piece of work after another, with a pause as long as it took', async () => {
  const queue = turns();
  const times: number[] = [];
  const work = async () => {
    times.push(performance.now());
    await delay(60);
    times.push(performance.now());
  };
  await Promise.all([queue.take('a', signal, work), queue.take('b', signal, work)]);
  const [, ended = 0, next = 0] = times;
  expect(next - ended).toBeGreaterThan(50);
});

it('a caller has its places, and gives them back whatever becomes of the work', async () => {
  const queue = turns();
  const failing = () => Promise.reject(new Error('x'));
  const first = queue.take('a', signal, failing).catch(() => 'failed');
  const second = queue.take('a', signal, failing).catch(() => 'failed');
  await expect(queue.take('a', signal, failing)).rejects.toMatchObject({ code: 'rate_limited' });
  expect(await Promise.all([first, second])).toEqual(['failed', 'failed']);
  expect(await queue.take('a', signal, async () => 'done')).toBe('done');
});

it('nothing is done for a caller who left while it waited, and the next one is not held up', async () => {
  const queue = turns();
  const leaving = new AbortController();
  let done = 0;
  const first = queue.take('a', signal, () => delay(30));
  const left = queue.take('a', leaving.signal, async () => done++);
  const last = queue.take('b', signal, async () => 'done');
  leaving.abort();
  await expect(left).rejects.toThrow();
  await first;
  expect(await last).toBe('done');
  expect(done).toBe(0);
});

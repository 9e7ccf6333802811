import { describe, expect, test } from 'vitest';
import { GrowthStory } from './growth-story.ts';

const LONG = 50_000;

/** Items of which each names the next one as what counts instead of it. */
function settled(...chain: readonly string[]): GrowthStory {
  const growth = new GrowthStory();
  for (const [i, by] of chain.slice(1).entries())
    growth.settle({ item: chain[i] ?? '', by }, (problem) => expect.unreachable(problem));
  return growth;
}

const names = Array.from({ length: LONG }, (_, i) => `i${i}`);
const last = names.at(-1) ?? '';

describe('items that others made up for', () => {
  test('DI-226: count as the end of their chain does, and a circle never ends', () => {
    const growth = settled('a', 'b', 'c');
    const isC = (item: string) => item === 'c';
    expect(['a', 'b', 'c', 'x'].map((item) => growth.isGood(item, isC))).toEqual([true, true, true, false]);
    // What was judged before is judged anew when its chain goes on.
    growth.settle({ item: 'c', by: 'd' }, () => {});
    expect(['a', 'b', 'c'].map((item) => growth.isGood(item, isC))).toEqual([false, false, false]);
    growth.settle({ item: 'd', by: 'b' }, () => {});
    expect(['a', 'b', 'c', 'd'].filter((item) => growth.isGood(item, () => true))).toEqual([]);
    const refused = settled('a', 'b');
    refused.refuse('b');
    expect(['a', 'b'].filter((item) => refused.isGood(item, () => true))).toEqual([]);
  });

  test.each([
    ['chain', settled(...names), LONG],
    ['circle', settled(...names, 'i0'), 0],
  ])(`FF-137: a %s of ${LONG} is judged in time that grows with its length alone`, (_, growth, good) => {
    const started = performance.now();
    expect(names.filter((name) => growth.isGood(name, (item) => item === last))).toHaveLength(good);
    // Step by step from each of them it is more than a thousand million look-ups.
    expect(performance.now() - started).toBeLessThan(3_000);
  });
});

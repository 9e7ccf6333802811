import { limits } from '@palisade/contracts';
import { expect, it, vi } from 'vitest';
import { Decisions } from './decisions.ts';

const undecided = (attempt: number) => ({
  ordinal: 0,
  attempt,
  maxTries: 1,
  backoffMs: 0,
  request: { phase: 'fire', runId: 'r', itemId: 'i', actor: 'human:ann', effect: 'unknown' } as const,
});

it('DI-194: a decision is for one attempt, is asked for once at a time, and does not hold for ever', async () => {
  let now = 1_000;
  const asked: number[] = [];
  const decisions = new Decisions({
    authority: {
      authorizer: {
        authorize: async ({ at }) => {
          asked.push(at);
          return { verdict: 'allow', principal: 'human:ann' };
        },
      },
      timeoutMs: 1_000,
    },
    now: () => now,
    onNews: () => {},
    onTrouble: () => {},
  });
  const of = (attempt: number) => decisions.of(0, attempt, 'human:ann', now);
  decisions.ask([undecided(1)]);
  decisions.ask([undecided(1)]);
  await vi.waitFor(() => expect(of(1)).toMatchObject({ at: 1_000 }));
  expect([asked, of(2)]).toEqual([[1_000], 'undecided']);
  now += limits.authorizationMs;
  expect(of(1)).toMatchObject({ at: 1_000 });
  now += 1;
  expect(of(1)).toBe('undecided');
  decisions.ask([undecided(1)]);
  await vi.waitFor(() => expect(of(1)).toMatchObject({ at: now }));
  decisions.forget(0);
  expect(of(1)).toBe('undecided');
});

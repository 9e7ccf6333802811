import { limits } from '@palisade/contracts';
import { expect, it, vi } from 'vitest';
import { Limiter } from '@palisade/kernel';
import { Decisions } from './decisions.ts';

const undecided = (attempt: number) => ({
  ordinal: 0,
  attempt,
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
      patienceMs: 0,
    },
    questions: new Limiter(1),
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

it('DI-194: an item fails when nobody decided for hours, not when its own tries are over', async () => {
  let now = 1_000;
  const told: unknown[] = [];
  const decisions = new Decisions({
    authority: {
      authorizer: {
        authorize: () => {
          if (told.length === 1) now += limits.undecidedMs;
          throw new Error('away');
        },
      },
      timeoutMs: 1_000,
      patienceMs: limits.undecidedMs,
    },
    questions: new Limiter(1),
    now: () => now,
    onNews: () => {},
    onTrouble: (_, error) => told.push(error),
  });
  decisions.ask([undecided(1)]);
  await vi.waitFor(() => expect(decisions.of(0, 1, 'human:ann', now)).toBe('failing'));
  await vi.waitFor(() => expect(decisions.of(0, 1, 'human:ann', now)).toHaveProperty('fault'), {
    timeout: 10_000,
  });
  expect(told).toHaveLength(2);
});

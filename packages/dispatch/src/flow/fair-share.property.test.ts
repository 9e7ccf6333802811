import { limits } from '@palisade/contracts';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Claim, levelOf, sharesOf } from './fair-share.ts';
import { afterStarts, nextStartAt, parseRate, rateText, startsLeft } from './rate.ts';

const NOW = 1_800_000_000_000;
const claims = fc
  .uniqueArray(
    fc.record({
      runId: fc.integer({ min: 0, max: 99 }).map((n) => `run_${n}`),
      used: fc.nat(20),
      wants: fc.nat(20),
      priority: fc.integer({ min: -2, max: 2 }),
      since: fc.nat(5 * limits.priorityAgeMs).map((ms) => NOW - ms),
    }),
    { selector: ({ runId }) => runId, maxLength: 12 },
  )
  .map((list): Claim[] => list);

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);

describe('shares of free slots', () => {
  it('DI-171: nothing is left free that somebody wants, and nobody gets more than there is or than it wants', () => {
    fc.assert(
      fc.property(claims, fc.nat(60), (list, free) => {
        const shares = sharesOf(list, free, NOW);
        expect(sum(shares.values())).toBe(Math.min(free, sum(list.map(({ wants }) => wants))));
        for (const { runId, wants } of list) expect(shares.get(runId)).toBeLessThanOrEqual(wants);
      }),
    );
  });

  it('DI-171: a lower level gets nothing while a higher one wants more, and among equals nobody gets ahead by more than one slot', () => {
    fc.assert(
      fc.property(claims, fc.nat(60), (list, free) => {
        const shares = sharesOf(list, free, NOW);
        const got = (claim: Claim): number => shares.get(claim.runId) ?? 0;
        for (const a of list)
          for (const b of list) {
            if (got(a) === a.wants || got(b) === 0) continue;
            // `a` wants more and `b` got something.
            expect(levelOf(a, NOW)).toBeLessThanOrEqual(levelOf(b, NOW));
            if (levelOf(a, NOW) === levelOf(b, NOW))
              expect(b.used + got(b)).toBeLessThanOrEqual(a.used + got(a) + 1);
          }
      }),
    );
  });

  it('DI-171: every engine hands out the same, whoever it asks for', () => {
    fc.assert(
      fc.property(claims, fc.nat(60), fc.nat(1000), (list, free, seed) => {
        const shuffled = [...list].sort((a, b) => ((a.wants * 31 + seed) % 7) - ((b.wants * 31 + seed) % 7));
        expect(Object.fromEntries(sharesOf(shuffled, free, NOW))).toEqual(
          Object.fromEntries(sharesOf(list, free, NOW)),
        );
      }),
    );
  });

  it('DI-171: no run starves, whatever priority others have that never end', () => {
    const workload = fc.record({
      slots: fc.integer({ min: 1, max: 4 }),
      endless: fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 1, maxLength: 6 }),
      small: fc.record({ priority: fc.integer({ min: -5, max: 5 }), items: fc.integer({ min: 1, max: 3 }) }),
    });
    fc.assert(
      fc.property(workload, ({ slots, endless, small }) => {
        const runs = [...endless.map((priority) => ({ priority, items: Infinity })), small].map((run, i) => ({
          ...run,
          runId: `run_${i}`,
          used: 0,
          since: 0,
        }));
        const isServed = (): boolean => (runs.at(-1)?.items ?? 0) <= 0;
        // Every slot is freed a minute after it was taken.
        let now = 0;
        let most = 0;
        while (!isServed() && now < 3_600_000) {
          for (const run of runs) run.used = 0;
          const list = runs.map((run) => ({ ...run, wants: Math.min(64, run.items) }));
          const shares = sharesOf(list, slots, now);
          most = Math.max(most, sum(shares.values()));
          for (const run of runs) {
            const got = shares.get(run.runId) ?? 0;
            if (got === 0) continue;
            run.items -= got;
            run.since = now;
          }
          now += limits.priorityAgeMs;
        }
        expect(most).toBeLessThanOrEqual(slots);
        // Ten levels apart at most, and seven runs: each is first in turn within so many minutes.
        expect(now).toBeLessThanOrEqual(
          (10 + runs.length) * small.items * limits.priorityAgeMs + limits.priorityAgeMs,
        );
      }),
    );
  });
});

describe('the rate of a queue', () => {
  const rates = fc.record({
    starts: fc.integer({ min: 1, max: 500 }),
    windowMs: fc.constantFrom(1_000, 60_000),
  });
  const asks = fc.array(fc.record({ gap: fc.nat(20_000), n: fc.integer({ min: 1, max: 50 }) }), {
    maxLength: 50,
  });

  it('DI-181: never lets more start than the bucket held and got, and does so as soon as it says', () => {
    fc.assert(
      fc.property(rates, asks, (rate, list) => {
        let fullAt = 0;
        let now = NOW;
        let started = 0;
        for (const { gap, n } of list) {
          now += gap;
          const next = nextStartAt(rate, fullAt, now);
          expect(startsLeft(rate, fullAt, next)).toBeGreaterThanOrEqual(1);
          if (next > now + 1) expect(startsLeft(rate, fullAt, next - 2)).toBe(0);
          const allowed = Math.min(n, startsLeft(rate, fullAt, now));
          if (allowed > 0) fullAt = afterStarts(rate, fullAt, now, allowed);
          started += allowed;
          expect(started).toBeLessThanOrEqual(
            rate.starts + ((now - NOW) / rate.windowMs) * rate.starts + 1e-6,
          );
        }
      }),
    );
  });

  it('reads what it writes', () => {
    for (const text of ['1/s', '30/m', '500/h', '20000/d'])
      expect(rateText(parseRate(text) as never)).toBe(text);
    for (const text of ['', '0/m', '30', '30/w', '-1/m', '1.5/m', '30/m '])
      expect(parseRate(text)).toBeNull();
  });
});

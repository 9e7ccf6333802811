import { limits } from '@palisade/contracts';

/**
 * The pause before something is tried again, ms: `firstMs` after the first failure, doubled with each further one up to `lastMs`, however many there were.
 *
 * @param failures counted from 1
 */
export function doublingMs(failures: number, firstMs: number, lastMs: number): number {
  return Math.min(lastMs, firstMs * 2 ** (failures - 1));
}

/** Full jitter (EX-092): uniform in [0, min(30 s, 100 ms · 2^(attempt − 1))]; `attempt` counts from 1. */
export function jobBackoffMs(attempt: number, random: () => number = Math.random): number {
  const ceiling = doublingMs(attempt, limits.jobBackoffBaseMs, limits.jobBackoffMaxMs);
  return Math.floor(random() * (ceiling + 1));
}

/** Pause before work that could not begin is offered again (EX-094): 50 to 150 ms. */
export function standDownMs(random: () => number = Math.random): number {
  return 50 + Math.floor(random() * 101);
}

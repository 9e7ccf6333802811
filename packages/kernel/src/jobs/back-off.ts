import { limits } from '@palisade/contracts';

/** Full jitter (EX-092): uniform in [0, min(30 s, 100 ms · 2^(attempt − 1))]; `attempt` counts from 1. */
export function jobBackoffMs(attempt: number, random: () => number = Math.random): number {
  const ceiling = Math.min(limits.jobBackoffMaxMs, limits.jobBackoffBaseMs * 2 ** (attempt - 1));
  return Math.floor(random() * (ceiling + 1));
}

/** Pause before work that could not begin is offered again (EX-094): 50 to 150 ms. */
export function standDownMs(random: () => number = Math.random): number {
  return 50 + Math.floor(random() * 101);
}

import { limits } from '@palisade/contracts';

/*
 * Who may take the free slots of a queue (DI-171). Every run that wants more than it has makes a claim; a run takes a
 * slot only when no other claim is better:
 *
 *   1. higher level first: the run's priority, and one more for every minute in which it wanted a slot and got none,
 *      so that none waits for ever
 *   2. then whoever uses fewer slots, so that many items do not keep few waiting
 *   3. then whoever has waited longer, and last the smaller id: the order is total, and every engine sees the same
 *
 * A slot that is handed out counts as used for the next one. What nobody claims is anybody's.
 */

/** One run's claim to slots of its queue. */
export interface Claim {
  readonly runId: string;
  /** Slots it uses. */
  readonly used: number;
  /** Further slots it could use at once. */
  readonly wants: number;
  readonly priority: number;
  /** Protected ms since when it has wanted a slot without getting one. */
  readonly since: number;
}

/** Priority with what waiting adds. */
export function levelOf({ priority, since }: Pick<Claim, 'priority' | 'since'>, now: number): number {
  return priority + Math.floor(Math.max(0, now - since) / limits.priorityAgeMs);
}

/** Hands `free` slots out among claims: how many each gets, by run. */
export function sharesOf(claims: readonly Claim[], free: number, now: number): Map<string, number> {
  const entries = claims.map((claim) => ({ claim, level: levelOf(claim, now), got: 0 }));
  const levels = [...new Set(entries.map(({ level }) => level))].sort((a, b) => b - a);
  let left = free;
  for (const level of levels) {
    const group = entries.filter((entry) => entry.level === level);
    const wanted = group.reduce((sum, { claim }) => sum + claim.wants, 0);
    if (wanted <= left) {
      for (const entry of group) entry.got = entry.claim.wants;
      left -= wanted;
      continue;
    }
    for (; left > 0; left--) {
      const best = bestOf(group);
      if (best === undefined) break;
      best.got++;
    }
    break;
  }
  return new Map(entries.map(({ claim, got }) => [claim.runId, got]));
}

/** The claim that gets the next slot after those handed out; undefined when no one wants more. */
function bestOf<T extends { readonly claim: Claim; readonly got: number }>(
  group: readonly T[],
): T | undefined {
  let best: T | undefined;
  for (const entry of group) {
    if (entry.got >= entry.claim.wants) continue;
    if (best === undefined || isBefore(entry, best)) best = entry;
  }
  return best;
}

function isBefore(
  a: { readonly claim: Claim; readonly got: number },
  b: { readonly claim: Claim; readonly got: number },
): boolean {
  const used = a.claim.used + a.got - (b.claim.used + b.got);
  if (used !== 0) return used < 0;
  if (a.claim.since !== b.claim.since) return a.claim.since < b.claim.since;
  return a.claim.runId < b.claim.runId;
}

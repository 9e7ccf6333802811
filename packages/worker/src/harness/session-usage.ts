import type { ResumedSession, SessionSpent, Usage } from '@palisade/contracts';

const COUNTED = ['input_tokens', 'output_tokens', 'cost_usd'] as const;

/**
 * Vendors count a session as a whole. Splits what one told at the end of a run into the share of this run
 * and what the session has used by now. What an earlier run used without telling, because it was ended, is in the
 * share of the run that tells it: nothing is counted twice and nothing is lost.
 */
export function splitUsage(
  told: Usage | undefined,
  resume: ResumedSession | null,
): { readonly own: Usage | undefined; readonly spent: SessionSpent | undefined } {
  const before = resume?.spent;
  if (told === undefined) return { own: undefined, spent: before };
  const own = { ...told };
  const spent: { -readonly [K in keyof SessionSpent]: SessionSpent[K] } = { ...before };
  for (const key of COUNTED) {
    const [total, earlier] = [told[key], before?.[key] ?? 0];
    if (total === undefined) continue;
    // A vendor that tells less than before has begun to count anew.
    own[key] = total >= earlier ? exact(total - earlier) : total;
    spent[key] = total;
  }
  return { own, spent };
}

/** Without what a difference of fractions leaves behind. */
function exact(amount: number): number {
  return Math.round(amount * 1e9) / 1e9;
}

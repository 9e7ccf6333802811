import { type HarnessResult, looksLikeNoNetwork, NO_NETWORK } from '@palisade/contracts';
import type { RunningAttempt } from './context.ts';

/**
 * Tells people which rule of the sandbox probably stands behind the failure of a program, and what the
 * allowed way is (FF-136). A hint beside the program's own words; it decides nothing.
 *
 * @param what names the program
 * @param tail the end of what it printed
 */
export function hintAtDenial(
  attempt: RunningAttempt,
  what: string,
  result: Pick<HarnessResult, 'outcome' | 'exitCode'>,
  tail: string,
): void {
  if (result.outcome !== 'exited' || result.exitCode === 0) return;
  const { sandbox } = attempt;
  const isOffline = sandbox.posture.includes('network-none') && looksLikeNoNetwork(tail);
  const hint = isOffline ? NO_NETWORK : (sandbox.explain?.(tail) ?? null);
  if (hint !== null) attempt.report.warn(`${what} may have met a rule of the sandbox: ${hint}`);
}

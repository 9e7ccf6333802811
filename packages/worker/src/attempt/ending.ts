import {
  type ErrorCode,
  errorCatalogue,
  foreignFault,
  type HarnessResult,
  toPalisadeError,
} from '@palisade/contracts';
import { type StopCause, StoppedError } from './stop.ts';

/** How an attempt ends, before its product is added. Texts are not redacted yet. */
export interface Ending {
  readonly outcome: 'succeeded' | 'failed' | 'timed_out' | 'canceled' | 'needs_input';
  readonly code?: ErrorCode;
  readonly reason?: string;
  readonly exitCode?: number;
  readonly retryable: boolean;
}

export const SUCCEEDED: Ending = { outcome: 'succeeded', exitCode: 0, retryable: false };

/** A failure with a code of the catalogue, which also says whether a retry can help. */
export function failedWith(code: ErrorCode, reason: string): Ending {
  return { outcome: 'failed', code, reason, retryable: errorCatalogue[code].retryable };
}

/** The ending a cause to stop asks for. */
export function endingOfStop(cause: StopCause): Ending {
  switch (cause.kind) {
    case 'canceled':
      return { outcome: 'canceled', code: 'canceled', reason: 'canceled on request', retryable: false };
    case 'deadline':
      return {
        outcome: 'timed_out',
        code: 'timed_out',
        reason: 'the deadline of the attempt passed',
        retryable: false,
      };
    default:
      return failedWith(cause.error.code, cause.error.message);
  }
}

/**
 * The ending a throw asks for. Only our own errors speak: their messages are built from named
 * fields, a foreign text could quote a header or an environment (FF-129).
 */
export function endingOfError(error: unknown): Ending {
  if (error instanceof StoppedError) return endingOfStop(error.stop);
  const ours = toPalisadeError(error);
  const reason = ours === error ? ours.message : `the worker failed: ${foreignFault(error)}`;
  return failedWith(ours.code, ours.why === undefined ? reason : `${reason}: ${ours.why}`);
}

/**
 * How the end of a program ends the attempt, or null when it ended well.
 *
 * @param result of the agent or of a gate
 * @param what names the program in the reason
 * @param stop why the attempt has to stop, when it has to
 */
export function endingOfProgram(
  result: Pick<HarnessResult, 'outcome' | 'exitCode' | 'limit' | 'detail'> & {
    readonly signal?: string | null;
  },
  what: string,
  stop: StopCause | null,
): Ending | null {
  if (result.outcome === 'exited' && result.exitCode === 0) return null;
  if (stop !== null && result.outcome !== 'start_failed') return endingOfStop(stop);
  switch (result.outcome) {
    case 'exited':
      return result.exitCode === null
        ? failedWith('provider_failed', `${what} ended without a status${detail(result.detail)}`)
        : {
            outcome: 'failed',
            exitCode: result.exitCode,
            reason: `${what} exited with status ${result.exitCode}${detail(result.detail)}`,
            retryable: true,
          };
    case 'signaled':
      return {
        outcome: 'failed',
        reason: `${what} was ended by ${result.signal ?? result.detail ?? 'a signal'}`,
        retryable: true,
      };
    case 'timed_out':
      return failedWith('timed_out', `${what} ran out of time`);
    case 'canceled':
      return { outcome: 'canceled', code: 'canceled', reason: `${what} was canceled`, retryable: false };
    case 'start_failed':
      return failedWith('start_failed', `${what} could not be started${detail(result.detail)}`);
    default: {
      const limit = result.limit;
      if (limit === undefined) return failedWith('provider_failed', `${what} was ended by an unnamed limit`);
      const how = limit.certainty === 'certain' ? 'was ended' : 'was probably ended';
      return {
        outcome: 'failed',
        reason: `${what} ${how} by its ${limit.name} limit (${limit.setting})`,
        retryable: false,
      };
    }
  }
}

function detail(text: string | undefined): string {
  return text === undefined ? '' : `: ${text}`;
}

import {
  type AttemptEnd,
  type AttemptResult,
  type ErrorCode,
  toPalisadeError,
  truncateText,
} from '@palisade/contracts';

const MAX_REASON_CHARS = 4_000;
const MAX_NAME_CHARS = 128;
const MAX_POSTURE = 64;

/** An end as the worker tells it, in the size of an event and of what a database holds. */
export function endOf(
  result: AttemptResult,
  { product, listed }: Pick<AttemptEnd, 'product' | 'listed'>,
): AttemptEnd {
  const { outcome, exit_code, code, reason, retryable, posture } = result;
  return {
    outcome,
    ...(exit_code === undefined ? {} : { exitCode: exit_code }),
    ...(code === undefined ? {} : { code: truncateText(code, MAX_NAME_CHARS) }),
    ...(reason === undefined ? {} : { reason: truncateText(reason, MAX_REASON_CHARS) }),
    retryable,
    product,
    ...(listed === undefined ? {} : { listed }),
    posture: posture.slice(0, MAX_POSTURE).map((name) => truncateText(name, MAX_NAME_CHARS)),
  };
}

/** The end of an attempt that broke. What broke it may quote the worker: it is bounded like its word. */
export function brokenEnd(error: unknown, fallback: ErrorCode): AttemptEnd {
  const { code, message, facts } = toPalisadeError(error, fallback);
  const reason = truncateText(message, MAX_REASON_CHARS);
  return { outcome: 'failed', code, reason, retryable: facts.retryable, product: {}, posture: [] };
}

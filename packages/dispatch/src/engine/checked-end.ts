import { canonicalJson, eventTypes, limits, PalisadeError } from '@palisade/contracts';
import { type AttemptEnd, brokenEnd } from '@palisade/runs';

const reconciled = eventTypes['item.reconciled'];

/**
 * An attempt's end as it can be told to the ledger. An executor may be anybody's: an end that no event could hold, or
 * a question that nobody could answer, is a broken attempt, not something to be tried for ever.
 */
export function checkedEnd(end: AttemptEnd): AttemptEnd {
  const fault = faultOf(end);
  return fault === null ? end : brokenEnd(new PalisadeError('provider_failed', fault), 'provider_failed');
}

function faultOf(end: AttemptEnd): string | null {
  const { outcome, exitCode, code, reason, product, posture } = end;
  const told = reconciled.safeParse({
    item: 'item',
    attempt: 1,
    run: 'run',
    status: 'failed',
    outcome,
    product,
    posture: [...posture],
    ...(exitCode === undefined ? {} : { exit_code: exitCode }),
    ...(code === undefined ? {} : { code }),
    ...(reason === undefined ? {} : { reason }),
  });
  if (!told.success) return 'the executor told an end that is none';
  if (outcome === 'needs_input' && product.question === undefined)
    return 'the executor told of a question and gave none';
  return canonicalJson(product).length > limits.productBytes * 1.25
    ? 'the executor told too much of its product'
    : null;
}

import type { ProductFacts } from './events.ts';

/**
 * What came of an item's self-check, in words; undefined when it had none. One that ended well and yet did not pass is not counted:
 * its command may hide a failure, tests are gone, or it was about another patch (FF-140, FF-143).
 */
export function verdictWord(
  product: Pick<ProductFacts, 'verify' | 'blocks'> | undefined,
): 'passed' | 'failed' | 'not counted' | undefined {
  if (product?.verify === undefined) return undefined;
  if (product.verify.passed) return 'passed';
  // The first verdict is the item's.
  const check = product.blocks?.find(({ kind }) => kind === 'verify');
  return check?.status === 'ok' ? 'not counted' : 'failed';
}

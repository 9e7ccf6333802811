import { limits, type ProductFacts, truncateText } from '@palisade/contracts';
import type { ItemFacts } from '../engine/item-facts.ts';
import type { SeenItem } from './growth-rule.ts';

const SUMMARY_CHARS = 1_000;

/** Done, and no self-check of its own says otherwise. */
export function endedWell({ state, product }: ItemFacts): boolean {
  return state === 'done' && product?.verify?.passed !== false;
}

/** Failed, or done with a negative self-check (DI-201). */
export function isRed({ state, product }: ItemFacts): boolean {
  return state === 'failed' || (state === 'done' && product?.verify?.passed === false);
}

/** The output in which a gate or a reviewer says what it found: `findings`, or with an ending, e.g. `findings.md`. */
export function findingsOf(product: ProductFacts | null) {
  const found = (product?.outputs ?? []).filter(({ path }) => /^findings(\.[A-Za-z0-9]{1,8})?$/.test(path));
  return found.sort((a, b) => (a.path < b.path ? -1 : 1))[0];
}

/**
 * Why something did not end well, as far as its product says: for whoever mends it. Bounded, and untrusted: it
 * quotes programs and models.
 */
export function reasonOf({ item, facts }: SeenItem): string {
  const { state, product } = facts;
  const parts = [`${item.id} ${state === 'done' ? 'is done and its self-check failed' : `is ${state}`}`];
  for (const block of product?.blocks ?? [])
    if (block.status === 'failed' || block.status === 'timed_out')
      parts.push(
        `${block.kind} ${block.status.replace('_', ' ')}${block.exit_code === undefined ? '' : `, exit code ${block.exit_code}`}`,
      );
  if (product?.summary !== undefined) parts.push(truncateText(product.summary.trim(), SUMMARY_CHARS));
  const head = truncateText(parts.join('\n'), limits.gateReasonChars / 2);
  const report = product?.verify?.report?.trim() ?? '';
  if (report === '') return head;
  return `${head}\n${truncateText(report, limits.gateReasonChars - head.length - 1, 'tail')}`;
}

import type { RunView } from '@palisade/contracts';

/** What a run cost, and of how much: `$0.84 of $2.00`; empty when nobody told and there is no limit. */
export function costText({ budget, spent, cost_usd: cost }: RunView): string {
  const limit = budget?.cost_usd;
  const used = cost ?? (limit === undefined ? undefined : 0);
  if (used === undefined) return '';
  const unknown = limit === undefined ? '' : unknownText(spent?.unknown_cost ?? 0);
  const amount = limit === undefined ? usd(used) : `${usd(used)} of ${usd(limit)}`;
  return unknown === '' ? amount : `${amount}  ${unknown}`;
}

/** The other limits of a run with what was used of them; empty when it has none. */
export function limitsText({ budget, spent }: RunView): string {
  const of = (used: number | undefined, limit: number | undefined, unit: string): string =>
    limit === undefined ? '' : `${Math.floor(used ?? 0)} of ${limit} ${unit}`;
  return [
    of(spent?.tokens, budget?.tokens, 'tokens'),
    of(spent?.seconds, budget?.seconds, 'seconds'),
    of(spent?.attempts, budget?.attempts, 'attempts'),
  ]
    .filter((part) => part !== '')
    .join(', ');
}

/** Attempts whose cost nobody knows. */
export function unknownText(attempts: number): string {
  return attempts === 0 ? '' : `${attempts} of unknown cost`;
}

function usd(amount: number): string {
  return `$${amount.toFixed(2)}`;
}

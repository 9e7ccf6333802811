import type { EventData, SealedProduct } from '@palisade/contracts';
import type { LedgerEvent } from './ledger-event.ts';

type FiredEvent = Extract<LedgerEvent, { readonly type: 'item.fired' }>;

/** What a seal states about a ledger, recomputed from its entries. */
export interface LedgerFacts {
  readonly fired: readonly FiredEvent[];
  /** Products of the items that ended `done`, in ledger order. */
  readonly products: readonly SealedProduct[];
  /** How the run ended; undefined when no entry says so. */
  readonly status: EventData<'run.completed'>['status'] | undefined;
}

/** Recomputes the facts of a ledger. Linear, and total: an incomplete ledger has incomplete facts. */
export function ledgerFacts(events: readonly LedgerEvent[]): LedgerFacts {
  const fired: FiredEvent[] = [];
  const products: SealedProduct[] = [];
  let status: LedgerFacts['status'];
  for (const event of events) {
    if (event.type === 'item.fired') fired.push(event);
    else if (event.type === 'run.completed') status = event.data.status;
    else if (event.type === 'item.reconciled' && event.data.status === 'done')
      products.push(product(event.data));
  }
  return { fired, products, status };
}

function product(data: EventData<'item.reconciled'>): SealedProduct {
  return {
    item: data.item,
    attempt: data.attempt,
    ...(data.product?.result_ref === undefined ? {} : { result_ref: data.product.result_ref }),
    outputs: data.product?.outputs ?? [],
  };
}

import type { BundleItem } from '@palisade/contracts';
import type { LedgerEvent } from './ledger-event.ts';

/**
 * What became of the items, for display (DI-229), in the order in which the ledger first names them.
 * Linear.
 */
export function ledgerItems(events: readonly LedgerEvent[]): BundleItem[] {
  const items = new Map<string, BundleItem>();
  for (const event of events) {
    const item = itemAfter(event, items);
    if (item !== null) items.set(item.id, item);
  }
  return [...items.values()];
}

function itemAfter(event: LedgerEvent, items: ReadonlyMap<string, BundleItem>): BundleItem | null {
  switch (event.type) {
    case 'item.fired':
      return { id: event.data.item, attempts: event.data.attempt, status: 'running' };
    case 'item.reconciled': {
      const { item: id, attempt: attempts, status, product } = event.data;
      const ref = status === 'done' ? product?.result_ref : undefined;
      return { id, attempts, status, ...(ref === undefined ? {} : { result_ref: ref }) };
    }
    case 'item.skipped':
    case 'item.canceled':
    case 'item.denied':
    case 'item.failed': {
      const id = event.data.item;
      return { id, attempts: items.get(id)?.attempts ?? 0, status: event.type.slice('item.'.length) };
    }
    default:
      return null;
  }
}

import { DeliveryState, metricBy, type MetricFamily } from '@palisade/contracts';
import type { ReadTx } from '@palisade/kernel';
import { countDeliveryStates } from './delivery-store.ts';

/** Messages by state (EX-216), never by endpoint: that name is somebody's. */
export async function deliveryFigures(tx: ReadTx): Promise<MetricFamily[]> {
  const counted = await countDeliveryStates(tx);
  return [metricBy('webhook_deliveries', 'state', DeliveryState.options, (state) => counted.get(state) ?? 0)];
}

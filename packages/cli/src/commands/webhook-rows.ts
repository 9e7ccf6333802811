import type { DeliveryView, WebhookView } from '@palisade/contracts';
import type { Invocation } from '../invocation.ts';
import { foreignLine } from '../output/foreign-text.ts';
import { renderRows } from '../output/row.ts';
import { count, moment } from '../output/time.ts';

/** Webhook endpoints a line each. */
export function webhookLines(invocation: Invocation, webhooks: readonly WebhookView[]): string[] {
  const { style } = invocation.settings;
  return renderRows(
    webhooks.map((webhook) => ({
      state: webhook.state === 'enabled' ? 'ok' : webhook.state,
      id: webhook.name,
      title: [webhook.origin, webhook.reason ?? ''].filter((part) => part !== '').join('  '),
      aside: [
        `key ${webhook.key_version}`,
        webhook.pending === 0 ? '' : `${webhook.pending} waiting`,
        webhook.undelivered === 0 ? '' : `${webhook.undelivered} undelivered`,
      ]
        .filter((part) => part !== '')
        .join('  '),
    })),
    style,
  );
}

/** Messages a line each: what was told, of which run, and what kept it from arriving. */
export function deliveryLines(invocation: Invocation, deliveries: readonly DeliveryView[]): string[] {
  const { style, times } = invocation.settings;
  return renderRows(
    deliveries.map((each) => ({
      state: WORDS[each.state],
      id: each.id,
      title: `${each.endpoint}  ${each.kind}  ${foreignLine(each.run_id)}`,
      aside: [
        outcomeText(each),
        count(each.attempts, 'attempt'),
        each.next_try_at === undefined ? '' : `next ${moment(each.next_try_at, times)}`,
      ]
        .filter((part) => part !== '')
        .join('  '),
    })),
    style,
  );
}

const WORDS = { pending: 'pending', delivered: 'ok', undelivered: 'failed' } as const;

/** Why it did not arrive, and the status of the answer if there was one. */
export function outcomeText({
  reason,
  status,
}: {
  readonly reason?: string | undefined;
  readonly status?: number | undefined;
}): string {
  return [reason ?? '', status === undefined ? '' : String(status)].filter((part) => part !== '').join(' ');
}

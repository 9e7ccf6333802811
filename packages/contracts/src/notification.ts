import * as z from 'zod';
import type { EventData, EventType, JournalEvent } from './events.ts';
import { nearest } from './nearest.ts';
import { Name } from './schema.ts';

/** What a webhook endpoint can be told of a run. `webhook.test` is sent by hand only. */
export const NOTIFICATION_KINDS = [
  'run.completed',
  'run.failed',
  'run.canceled',
  'item.failed',
  'item.needs_input',
  'item.approval_requested',
] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

/** A kind, or the nearest one named. */
export const NotificationKindValue = z.enum(NOTIFICATION_KINDS, {
  error: ({ input }) => {
    const meant = typeof input === 'string' ? nearest(input, NOTIFICATION_KINDS) : undefined;
    return `must be one of ${NOTIFICATION_KINDS.join(', ')}${meant === undefined ? '' : `; the nearest is ${meant}`}`;
  },
});

/** What of a run is told to which endpoint; a plan names the endpoint, and never its address or its key (DI-084). */
export const Notification = z.strictObject({
  when: z.array(NotificationKindValue).min(1).max(NOTIFICATION_KINDS.length),
  endpoint: Name,
});
export type Notification = z.infer<typeof Notification>;

/** What one event means to the outside. */
export interface Told {
  readonly kind: NotificationKind;
  readonly facts: Readonly<Record<string, unknown>>;
}

const RUN_KINDS = {
  completed: 'run.completed',
  failed: 'run.failed',
  canceled: 'run.canceled',
  timed_out: 'run.failed',
  budget_exceeded: 'run.failed',
} as const satisfies Record<EventData<'run.completed'>['status'], NotificationKind>;

/** The events that are told, and as what: one line each. */
const told: { readonly [T in EventType]?: (data: EventData<T>) => Told | null } = {
  'run.completed': ({ status, counts, reason }) => ({
    kind: RUN_KINDS[status],
    facts: { status, counts, reason },
  }),
  'item.reconciled': ({ status, item, attempt, code, reason, asks }) =>
    status === 'failed'
      ? { kind: 'item.failed', facts: { item, attempt, code, reason } }
      : status === 'needs_input'
        ? { kind: 'item.needs_input', facts: { item, attempt, ...asks } }
        : null,
  'item.approval_requested': ({ item, attempt, request, request_hash, expires_at }) => ({
    kind: 'item.approval_requested',
    facts: { item, attempt, request, request_hash, expires_at },
  }),
  'item.failed': ({ item, code, reason }) => ({ kind: 'item.failed', facts: { item, code, reason } }),
};

/** What is told of an event, or null when it is nobody's business outside. */
export function toldOf(event: JournalEvent): Told | null {
  const tell = told[event.type] as ((data: unknown) => Told | null) | undefined;
  return tell?.(event.data) ?? null;
}

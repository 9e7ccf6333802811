import {
  type JournalEvent,
  newId,
  type Notification,
  type NotificationKind,
  runOfStream,
  type Told,
  toldOf,
} from '@palisade/contracts';
import type { WriteTx } from '@palisade/kernel';
import { enqueueDelivery } from './delivery-store.ts';

/** Keeps what of a run is to be told to whom; an endpoint that is named twice for a kind is told once (DI-084). */
export async function subscribe(
  tx: WriteTx,
  { id: runId, project }: { readonly id: string; readonly project: string },
  notifications: readonly Notification[],
): Promise<void> {
  for (const { endpoint, when } of notifications)
    for (const kind of when)
      await tx.sql.run(
        'INSERT INTO run_notifications (run_id, project, endpoint, kind) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
        [runId, project, endpoint, kind],
      );
}

/**
 * Puts what is to be told of committed events into the outbox, in the unit of work that commits them: a crash
 * neither loses a message nor gives it a second id. For the database's `onEvents`.
 */
export async function notifyOutside(tx: WriteTx, events: readonly JournalEvent[]): Promise<void> {
  for (const event of events) {
    const runId = runOfStream(event.stream);
    const told = runId === null ? null : toldOf(event);
    if (runId === null || told === null) continue;
    const rows = await tx.sql.all<{ project: string; endpoint: string }>(
      'SELECT project, endpoint FROM run_notifications WHERE run_id = ? AND kind = ? ORDER BY endpoint',
      [runId, told.kind],
    );
    for (const { project, endpoint } of rows)
      await enqueueDelivery(tx, {
        id: newId('msg', tx.now),
        project,
        endpoint,
        kind: told.kind,
        runId,
        seq: event.seq,
        body: bodyOf(told, runId, event),
      });
    // Nothing comes after it in a run's stream.
    if (event.type === 'run.completed')
      await tx.sql.run('DELETE FROM run_notifications WHERE run_id = ?', [runId]);
  }
}

/** What is sent, byte for byte at every attempt: the shape that Standard Webhooks recommends. */
function bodyOf({ kind, facts }: Told, runId: string, { at, seq }: JournalEvent): string {
  return messageBody(kind, at, { run_id: runId, seq, ...facts });
}

/** A message's body: type, moment and facts. */
export function messageBody(
  type: NotificationKind | 'webhook.test',
  at: number,
  data: Readonly<Record<string, unknown>>,
): string {
  return JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
}

import {
  DeliveryReason,
  DeliveryState,
  type DeliveryView,
  nameAmongAll,
  NOTIFICATION_KINDS,
} from '@palisade/contracts';
import type { ReadTx, SqlRow, SqlValue, WriteTx } from '@palisade/kernel';
import type { EndpointOf } from './endpoint-store.ts';

/** Attempts of one message, with pauses that add up to about half a day. */
const MAX_ATTEMPTS = 8;

/** Jobs of one endpoint have a kind of their own: a slow receiver takes no turns from another. */
export function jobKind({ project, endpoint }: EndpointOf): string {
  return `webhook:${nameAmongAll(project, endpoint)}`;
}

/** A message as it is sent. */
export interface Message extends EndpointOf {
  readonly id: string;
  readonly kind: string;
  readonly runId: string;
  readonly body: string;
}

/** Puts a message into the outbox with the job that delivers it. */
export async function enqueueDelivery(
  tx: WriteTx,
  message: Message & { readonly seq: number },
): Promise<void> {
  await tx.sql.run(
    `INSERT INTO webhook_deliveries (id, project, endpoint, kind, run_id, seq, body, created_at, state, attempts, next_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'pending', 0, ?)`,
    [
      message.id,
      message.project,
      message.endpoint,
      message.kind,
      message.runId,
      message.seq,
      message.body,
      tx.now,
      tx.now,
    ],
  );
  await enqueueJob(tx, message, message.id);
}

async function enqueueJob(tx: WriteTx, endpoint: EndpointOf, id: string): Promise<void> {
  await tx.jobs.enqueue(jobKind(endpoint), { id }, { key: id, maxAttempts: MAX_ATTEMPTS });
}

/** Endpoints with pending messages to look at up to `until`. */
export async function dueEndpoints(tx: ReadTx, until: number, limit: number): Promise<EndpointOf[]> {
  return tx.sql.all<EndpointOf & SqlRow>(
    `SELECT project, endpoint FROM webhook_deliveries WHERE state = 'pending' AND next_at <= ?
     GROUP BY project, endpoint ORDER BY MIN(next_at) LIMIT ?`,
    [until, limit],
  );
}

/** How many messages are kept in which state. */
export async function countDeliveryStates(tx: ReadTx): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.sql.all<{ state: string; n: number }>(
    'SELECT state, CAST(COUNT(*) AS BIGINT) AS n FROM webhook_deliveries GROUP BY state',
  );
  return new Map(rows.map(({ state, n }) => [state, n]));
}

export async function hasPending(tx: ReadTx): Promise<boolean> {
  return (
    (await tx.sql.get(`SELECT id FROM webhook_deliveries WHERE state = 'pending' LIMIT 1`)) !== undefined
  );
}

/** The message of a job, if it still waits to be delivered. */
export async function pendingMessage(tx: ReadTx, id: string): Promise<Message | undefined> {
  const row = await tx.sql.get<{
    project: string;
    endpoint: string;
    kind: string;
    run_id: string;
    body: string;
  }>(
    `SELECT project, endpoint, kind, run_id, body FROM webhook_deliveries WHERE id = ? AND state = 'pending'`,
    [id],
  );
  return row === undefined
    ? undefined
    : { id, project: row.project, endpoint: row.endpoint, kind: row.kind, runId: row.run_id, body: row.body };
}

/** Counts an attempt that is about to be made, and when to look again should nobody tell how it went. */
export async function markAttempt(tx: WriteTx, id: string, nextAt: number): Promise<void> {
  await tx.sql.run('UPDATE webhook_deliveries SET attempts = attempts + 1, next_at = ? WHERE id = ?', [
    nextAt,
    id,
  ]);
}

/** How an attempt went. `next_at` is when the next one is, for a message that stays pending. */
export async function markOutcome(
  tx: WriteTx,
  id: string,
  outcome: {
    readonly state: DeliveryState;
    readonly reason: DeliveryReason | null;
    readonly status: number | null;
    readonly nextAt: number | null;
  },
): Promise<void> {
  await tx.sql.run(
    `UPDATE webhook_deliveries SET state = ?, reason = ?, status = ?, next_at = ?, done_at = ?
     WHERE id = ? AND state = 'pending'`,
    [
      outcome.state,
      outcome.reason,
      outcome.status,
      outcome.nextAt,
      outcome.state === 'pending' ? null : tx.now,
      id,
    ],
  );
}

/** Everything that waits for an endpoint becomes undelivered; the jobs end when somebody looks at them. */
export async function refusePending(tx: WriteTx, { project, endpoint }: EndpointOf): Promise<void> {
  await tx.sql.run(
    `UPDATE webhook_deliveries SET state = 'undelivered', reason = 'refused', next_at = NULL, done_at = ?
     WHERE project = ? AND endpoint = ? AND state = 'pending'`,
    [tx.now, project, endpoint],
  );
}

/** Everything that waits for any endpoint becomes undelivered, to be replayed by a person: whether it had arrived is not known. */
export async function abortPending(tx: WriteTx): Promise<number> {
  return tx.sql.run(
    "UPDATE webhook_deliveries SET state = 'undelivered', reason = 'aborted', next_at = NULL, done_at = ? WHERE state = 'pending'",
    [tx.now],
  );
}

/** Makes messages wait again, under their ids; those that wait already stay as they are. */
export async function requeue(tx: WriteTx, project: string, ids: readonly string[]): Promise<string[]> {
  const requeued: string[] = [];
  for (const id of ids) {
    const row = await tx.sql.get<{ endpoint: string }>(
      `SELECT endpoint FROM webhook_deliveries WHERE project = ? AND id = ? AND state <> 'pending'`,
      [project, id],
    );
    if (row === undefined) continue;
    await tx.sql.run(
      `UPDATE webhook_deliveries SET state = 'pending', attempts = 0, reason = NULL, status = NULL, next_at = ?, done_at = NULL
       WHERE id = ?`,
      [tx.now, id],
    );
    await enqueueJob(tx, { project, endpoint: row.endpoint }, id);
    requeued.push(id);
  }
  return requeued;
}

/** Ids of the oldest undelivered messages of an endpoint. */
export async function undeliveredOf(
  tx: ReadTx,
  { project, endpoint }: EndpointOf,
  limit: number,
): Promise<string[]> {
  const rows = await tx.sql.all<{ id: string }>(
    `SELECT id FROM webhook_deliveries WHERE project = ? AND endpoint = ? AND state = 'undelivered' ORDER BY id LIMIT ?`,
    [project, endpoint, limit],
  );
  return rows.map(({ id }) => id);
}

/** Ids that name no message of the project. */
export async function unknownIds(tx: ReadTx, project: string, ids: readonly string[]): Promise<string[]> {
  const unknown: string[] = [];
  for (const id of ids) {
    const found = await tx.sql.get('SELECT id FROM webhook_deliveries WHERE project = ? AND id = ?', [
      project,
      id,
    ]);
    if (found === undefined) unknown.push(id);
  }
  return unknown;
}

/** Forgets messages that were delivered, or given up, before a time. Returns how many. */
export async function forgetDeliveries(tx: WriteTx, before: number, limit: number): Promise<number> {
  return tx.sql.run(
    `DELETE FROM webhook_deliveries WHERE id IN
     (SELECT id FROM webhook_deliveries WHERE state <> 'pending' AND done_at < ? ORDER BY id LIMIT ?)`,
    [before, limit],
  );
}

/** Messages, newest first; `before` is an id. */
export async function deliveries(
  tx: ReadTx,
  page: {
    readonly project: string;
    readonly endpoint?: string | undefined;
    readonly states?: readonly DeliveryState[] | undefined;
    readonly before?: string | undefined;
    readonly limit: number;
  },
): Promise<DeliveryView[]> {
  const where = ['project = ?'];
  const params: SqlValue[] = [page.project];
  if (page.endpoint !== undefined) {
    where.push('endpoint = ?');
    params.push(page.endpoint);
  }
  if (page.states !== undefined && page.states.length > 0) {
    where.push(`state IN (${page.states.map(() => '?').join(', ')})`);
    params.push(...page.states);
  }
  if (page.before !== undefined) {
    where.push('id < ?');
    params.push(page.before);
  }
  const rows = await tx.sql.all(
    `SELECT id, endpoint, kind, run_id, created_at, state, attempts, reason, status, next_at, done_at
     FROM webhook_deliveries WHERE ${where.join(' AND ')} ORDER BY id DESC LIMIT ?`,
    [...params, page.limit],
  );
  return rows.map(deliveryOf);
}

/** How many messages of each endpoint of a project wait, and how many were given up. */
export async function countDeliveries(
  tx: ReadTx,
  project: string,
): Promise<Map<string, { readonly pending: number; readonly undelivered: number }>> {
  const rows = await tx.sql.all<{ endpoint: string; state: DeliveryState; n: number }>(
    `SELECT endpoint, state, COUNT(*) AS n FROM webhook_deliveries
     WHERE project = ? AND state IN ('pending', 'undelivered') GROUP BY endpoint, state`,
    [project],
  );
  const counts = new Map<string, { pending: number; undelivered: number }>();
  for (const { endpoint, state, n } of rows) {
    const entry = counts.get(endpoint) ?? { pending: 0, undelivered: 0 };
    counts.set(endpoint, { ...entry, [state]: n });
  }
  return counts;
}

function deliveryOf(row: SqlRow): DeliveryView {
  const state = DeliveryState.parse(row['state']);
  const number = (column: string): number => Number(row[column]);
  const reason = DeliveryReason.safeParse(row['reason']).data;
  const kind = NOTIFICATION_KINDS.find((known) => known === row['kind']) ?? 'webhook.test';
  return {
    id: String(row['id']),
    endpoint: String(row['endpoint']),
    kind,
    run_id: String(row['run_id']),
    created_at: number('created_at'),
    state,
    attempts: number('attempts'),
    ...(reason === undefined ? {} : { reason }),
    ...(row['status'] === null ? {} : { status: number('status') }),
    ...(state === 'pending' && row['next_at'] !== null ? { next_try_at: number('next_at') } : {}),
    ...(state === 'delivered' ? { delivered_at: number('done_at') } : {}),
  };
}

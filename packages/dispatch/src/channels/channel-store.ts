import type { ContentHash, InboxMessage, SentMessage } from '@palisade/contracts';
import type { ReadTx, SqlRow, SqlValue, WriteTx } from '@palisade/kernel';

/** Rows inserted per statement: few enough that both databases accept the number of parameters. */
const INSERT_ROWS = 100;

/** Opens the channels of the items that have one, in the unit of work that adds them to the run. */
export async function openChannels(
  tx: WriteTx,
  runId: string,
  items: readonly { readonly id: string; readonly channel?: true }[],
): Promise<void> {
  const ids = items.filter(({ channel }) => channel === true).map(({ id }) => id);
  for (let start = 0; start < ids.length; start += INSERT_ROWS) {
    const rows = ids.slice(start, start + INSERT_ROWS);
    const params: SqlValue[] = rows.flatMap((id) => [runId, id]);
    await tx.sql.run(
      `INSERT INTO item_channels (run_id, item_id, messages) VALUES ${rows.map(() => '(?, ?, 0)').join(', ')}`,
      params,
    );
  }
}

/** How many messages the item was sent; undefined for one that takes none. */
export async function messagesSent(tx: ReadTx, runId: string, itemId: string): Promise<number | undefined> {
  const row = await tx.sql.get<{ messages: number }>(
    'SELECT messages FROM item_channels WHERE run_id = ? AND item_id = ?',
    [runId, itemId],
  );
  return row?.messages;
}

/** A message as stored. */
export interface StoredMessage extends Omit<SentMessage, 'hash'> {
  readonly hash: ContentHash;
  readonly body: string;
}

/** Adds a message at the end of its item's channel; its number is one more than there were. */
export async function insertMessage(tx: WriteTx, message: StoredMessage): Promise<void> {
  await tx.sql.run('UPDATE item_channels SET messages = ? WHERE run_id = ? AND item_id = ?', [
    message.seq,
    message.run_id,
    message.item,
  ]);
  await tx.sql.run(
    `INSERT INTO item_messages (run_id, item_id, seq, id, actor, hash, bytes, body, sent_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      message.run_id,
      message.item,
      message.seq,
      message.id,
      message.sent_by,
      message.hash,
      message.bytes,
      JSON.stringify(message.body),
      message.sent_at,
    ],
  );
}

/** The messages of an item after the one with this number, in their order. */
export async function messagesAfter(
  tx: ReadTx,
  runId: string,
  itemId: string,
  seq: number,
): Promise<StoredMessage[]> {
  const rows = await tx.sql.all(
    `SELECT run_id, item_id, seq, id, actor, hash, bytes, body, sent_at FROM item_messages
     WHERE run_id = ? AND item_id = ? AND seq > ? ORDER BY seq`,
    [runId, itemId, seq],
  );
  return rows.map(messageOf);
}

/** How far an attempt's inbox is told to have come; 0 before anything was. */
export async function deliveredThrough(
  tx: ReadTx,
  runId: string,
  itemId: string,
  attempt: number,
): Promise<number> {
  const row = await tx.sql.get<{ through: number | null }>(
    'SELECT MAX(through) AS through FROM item_deliveries WHERE run_id = ? AND item_id = ? AND attempt = ?',
    [runId, itemId, attempt],
  );
  return row?.through ?? 0;
}

export interface Delivery {
  readonly attempt: number;
  readonly through: number;
  readonly at: number;
}

export async function insertDelivery(
  tx: WriteTx,
  runId: string,
  itemId: string,
  { attempt, through }: Pick<Delivery, 'attempt' | 'through'>,
): Promise<void> {
  await tx.sql.run(
    'INSERT INTO item_deliveries (run_id, item_id, attempt, through, at) VALUES (?, ?, ?, ?, ?)',
    [runId, itemId, attempt, through, tx.now],
  );
}

/** What came to which attempts of an item, in order. */
export async function deliveriesOf(tx: ReadTx, runId: string, itemId: string): Promise<Delivery[]> {
  const rows = await tx.sql.all<{ attempt: number; through: number; at: number }>(
    'SELECT attempt, through, at FROM item_deliveries WHERE run_id = ? AND item_id = ? ORDER BY attempt, through',
    [runId, itemId],
  );
  return rows.map(({ attempt, through, at }) => ({ attempt, through, at }));
}

/** Removes at most `limit` messages of a run and, when there are none left, its channels; true when it was all. */
export async function removeMessages(tx: WriteTx, runId: string, limit: number): Promise<boolean> {
  const rows = await tx.sql.all<{ item_id: string; seq: number }>(
    'SELECT item_id, seq FROM item_messages WHERE run_id = ? ORDER BY item_id, seq LIMIT ?',
    [runId, limit],
  );
  for (const { item_id: itemId, seq } of rows)
    await tx.sql.run('DELETE FROM item_messages WHERE run_id = ? AND item_id = ? AND seq = ?', [
      runId,
      itemId,
      seq,
    ]);
  if (rows.length === limit) return false;
  await tx.sql.run('DELETE FROM item_deliveries WHERE run_id = ?', [runId]);
  await tx.sql.run('DELETE FROM item_channels WHERE run_id = ?', [runId]);
  return true;
}

/** The line of an inbox that a message is. */
export function inboxMessage({ id, seq, body, sent_at }: StoredMessage): InboxMessage {
  return { id, seq, body, sent_at };
}

/** Bodies are JSON this program wrote in the same unit of work as the row. */
function messageOf(row: SqlRow): StoredMessage {
  return {
    id: String(row['id']),
    run_id: String(row['run_id']),
    item: String(row['item_id']),
    seq: Number(row['seq']),
    bytes: Number(row['bytes']),
    hash: String(row['hash']) as ContentHash,
    sent_by: String(row['actor']),
    sent_at: Number(row['sent_at']),
    body: JSON.parse(String(row['body'])) as string,
  };
}

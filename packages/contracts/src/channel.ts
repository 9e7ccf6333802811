import * as z from 'zod';
import { type ContentHash, canonicalHash } from './canonical-json.ts';
import { Hash, Millis, Name } from './schema.ts';

/*
 * The channel of an item: messages of people or programs into an agent that runs (DI-121). An item has one when its
 * plan says `"channel": true`. A message is a row of the database with its place in the item's order; every attempt is given
 * all of them from the first, as lines of a file in its workspace. Nothing waits for an agent to read them.
 */

/** Where an agent finds its messages, relative to the workspace: one {@link InboxMessage} as JSON a line, oldest first. */
export const INBOX_FILE = '.palisade/inbox.jsonl';

/** Id of a message: what an agent that was given it twice knows it by. */
export const MessageId = z.string().regex(/^msg_[0-9a-f]{32}$/, 'must be the id of a message');

/** A line of {@link INBOX_FILE}. */
export const InboxMessage = z.strictObject({
  id: MessageId,
  /** Its place among the item's messages, from 1 without a gap. */
  seq: z.int().positive(),
  body: z.string(),
  sent_at: Millis,
});
export type InboxMessage = z.infer<typeof InboxMessage>;

/** A message with all about it. Its address is in the ledger, and what it says is not. */
export interface MessageRecord {
  readonly message: string;
  readonly run_id: string;
  readonly item_id: string;
  readonly seq: number;
  readonly actor: string;
  readonly sent_at: number;
  readonly body: string;
}

/** What the ledger calls a message by: whoever has its text can show that it is the one that was sent. */
export function messageHash(record: MessageRecord): ContentHash {
  return canonicalHash({ schema_version: 1, kind: 'message', ...record });
}

/** A message as recorded, without what it says. */
export const SentMessage = z.strictObject({
  id: MessageId,
  run_id: z.string(),
  item: Name,
  seq: z.int().positive(),
  /** Length of the body as UTF-8. */
  bytes: z.int().positive(),
  hash: Hash,
  sent_by: z.string(),
  sent_at: Millis,
});
export type SentMessage = z.infer<typeof SentMessage>;

/** A message with what it says, and which attempts it has come to. */
export const MessageView = SentMessage.extend({
  body: z.string(),
  /** Attempts in whose inbox it lay, in order, each with when that was told. */
  delivered: z.array(z.strictObject({ attempt: z.int().positive(), at: Millis })),
});
export type MessageView = z.infer<typeof MessageView>;

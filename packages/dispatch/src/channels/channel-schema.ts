import type { Migration } from '@palisade/kernel';

/**
 * `item_channels` has a row for each item whose agent takes messages, and counts them: whoever sends raises `messages`
 * and writes the row of that number in `item_messages` in one unit of work, so the order has no gap (DI-121). A body is a JSON string.
 * `item_deliveries` tells how far each attempt's inbox came, and when.
 */
export const channelMigrations: readonly Migration[] = [
  {
    id: 'dispatch-channels-0001',
    sql: `
CREATE TABLE item_channels (
  run_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  messages BIGINT NOT NULL,
  PRIMARY KEY (run_id, item_id)
) /* clustered */;
CREATE TABLE item_messages (
  run_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  seq BIGINT NOT NULL,
  id TEXT NOT NULL,
  actor TEXT NOT NULL,
  hash TEXT NOT NULL,
  bytes BIGINT NOT NULL,
  body TEXT NOT NULL,
  sent_at BIGINT NOT NULL,
  PRIMARY KEY (run_id, item_id, seq)
);
CREATE TABLE item_deliveries (
  run_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  attempt BIGINT NOT NULL,
  through BIGINT NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (run_id, item_id, attempt, through)
) /* clustered */;
`,
  },
];

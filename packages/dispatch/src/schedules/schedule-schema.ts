import type { Migration } from '@palisade/kernel';

/**
 * `schedules` holds what is to be run and when. `next_slot` is the first due time that is not dealt with;
 * `try_at` the time to deal with it, later while an earlier try is waited out. `schedule_slots` tells what
 * became of the last due times. Times are protected ms.
 */
export const scheduleMigrations: readonly Migration[] = [
  {
    id: 'dispatch-schedules-0001',
    sql: `
CREATE TABLE schedules (
  name TEXT PRIMARY KEY,
  id TEXT NOT NULL,
  cron TEXT NOT NULL,
  zone TEXT NOT NULL,
  catch_up TEXT NOT NULL,
  catch_up_limit BIGINT NOT NULL,
  overlap TEXT NOT NULL,
  submission TEXT NOT NULL,
  title TEXT NOT NULL,
  repository TEXT,
  base TEXT,
  actor TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  state TEXT NOT NULL,
  reason TEXT,
  next_slot BIGINT,
  try_at BIGINT,
  last_run_id TEXT,
  failures BIGINT NOT NULL,
  error_code TEXT,
  error_message TEXT,
  error_at BIGINT
);
CREATE INDEX schedules_by_time ON schedules (state, try_at);
CREATE TABLE schedule_slots (
  schedule TEXT NOT NULL,
  ordinal BIGINT NOT NULL,
  slot BIGINT,
  at BIGINT NOT NULL,
  outcome TEXT NOT NULL,
  run_id TEXT,
  covers BIGINT NOT NULL,
  reason TEXT,
  PRIMARY KEY (schedule, ordinal)
);
`,
  },
];

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
  {
    // A schedule's name is its project's; what became of its due times goes by its id.
    id: 'dispatch-schedules-0002-project',
    sql: `
CREATE TABLE project_schedules (
  project TEXT NOT NULL,
  name TEXT NOT NULL,
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
  error_at BIGINT,
  PRIMARY KEY (project, name)
);
INSERT INTO project_schedules (project, name, id, cron, zone, catch_up, catch_up_limit, overlap, submission, title, repository,
  base, actor, created_at, state, reason, next_slot, try_at, last_run_id, failures, error_code, error_message, error_at)
  SELECT 'default', name, id, cron, zone, catch_up, catch_up_limit, overlap, submission, title, repository, base, actor,
    created_at, state, reason, next_slot, try_at, last_run_id, failures, error_code, error_message, error_at FROM schedules;
UPDATE schedule_slots SET schedule = (SELECT s.id FROM schedules s WHERE s.name = schedule_slots.schedule)
  WHERE EXISTS (SELECT 1 FROM schedules s WHERE s.name = schedule_slots.schedule);
DROP TABLE schedules;
ALTER TABLE project_schedules RENAME TO schedules;
CREATE UNIQUE INDEX schedules_by_id ON schedules (id);
CREATE INDEX schedules_by_time ON schedules (state, try_at);
`,
  },
];

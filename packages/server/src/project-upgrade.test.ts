import { sinkMigrations, webhookMigrations } from '@palisade/automation';
import { planMigrations, scheduleMigrations } from '@palisade/dispatch';
import { identityMigrations } from '@palisade/identity';
import { revisionMigrations, secretMigrations } from '@palisade/kernel';
import { eachDatabase } from '@palisade/kernel/testing';
import { runMigrations } from '@palisade/runs';
import { expect, it } from 'vitest';

const ALL = [
  ...identityMigrations,
  ...revisionMigrations,
  ...secretMigrations,
  ...runMigrations,
  ...planMigrations,
  ...scheduleMigrations,
  ...webhookMigrations,
  ...sinkMigrations,
];

/** The steps that gave records their project, and those that are about projects from the start. */
const OF_PROJECTS = new Set([
  'identity/0007-projects',
  'revisions/0003',
  'runs-0007-project',
  'dispatch-plans-0006-project',
  'dispatch-requests-0003-project',
  'dispatch-schedules-0002-project',
  'automation-webhooks-0002-project',
  'runs-0008-product-refs',
  'identity/0008-harness-sessions',
  'identity/0009-producer-jobs',
]);

/** Rows as they were stored before there were projects, by their tables. */
const BEFORE: Readonly<Record<string, string>> = {
  kernel_revisions: "(kind, name, revision, hash, registered_at) VALUES ('agent', 'a', 1, 'sha256:1', 5)",
  kernel_revision_names: "(kind, name, latest, owner) VALUES ('agent', 'a', 1, 'shop')",
  runs: `(id, kind, state, title, queue, actor, submitted_at) VALUES ('r', 'plan', 'queued', 't', 'slow', 'human:ada', 5)`,
  queues: `(name, concurrency, paused_at, paused_by, pause_reason, rate_starts, rate_window_ms, rate_full_at, max_open_runs, max_priority)
    VALUES ('slow', 2, 5, 'human:ada', 'why', 3, 1000, 7, 4, 9)`,
  queue_usage: "(queue, run_id, used, wants, priority, since) VALUES ('slow', 'r', 1, 2, 3, 4)",
  lock_holds: "(lock_key, run_id, item_id, since) VALUES ('db', 'r', 'x', 5)",
  lock_waiters: "(lock_key, ticket, run_id, item_id) VALUES ('db', 1, 'r', 'y')",
  item_requests: `(run_id, id, item_id, ordinal, attempt, kind, hash, body, asked_at)
    VALUES ('r', 'q', 'x', 0, 1, 'question', 'h', '{}', 5)`,
  schedules: `(name, id, cron, zone, catch_up, catch_up_limit, overlap, submission, title, actor, created_at, state, next_slot, try_at, failures)
    VALUES ('nightly', 'sch_1', '0 3 * * *', 'UTC', 'latest', 10, 'allow', '{}', 't', 'human:ada', 5, 'enabled', 6, 6, 0)`,
  schedule_slots: "(schedule, ordinal, at, outcome, covers) VALUES ('nightly', 1, 5, 'submitted', 1)",
  webhook_endpoints: `(name, url, allow_private, bearer, state, key_version, created_at)
    VALUES ('ops', 'https://hooks.example', 0, 'secret:b', 'enabled', 1, 5)`,
  run_notifications: "(run_id, endpoint, kind) VALUES ('r', 'ops', 'run.completed')",
  webhook_deliveries: `(id, endpoint, kind, run_id, seq, body, created_at, state, attempts)
    VALUES ('msg_1', 'ops', 'run.completed', 'r', 1, '{}', 5, 'pending', 0)`,
};

eachDatabase('an installation from before there were projects', (open) => {
  it('AC-005: everything it has is the default project’s, and nothing else of it has changed', async () => {
    const old = await open({ migrations: ALL.filter(({ id }) => !OF_PROJECTS.has(id)) });
    const rowsOf = (database: typeof old, table: string) =>
      database.read((tx) => tx.sql.all(`SELECT * FROM ${table}`));
    const before = new Map<string, Readonly<Record<string, unknown>>[]>();
    for (const [table, values] of Object.entries(BEFORE)) {
      await old.write((tx) => tx.sql.run(`INSERT INTO ${table} ${values}`));
      before.set(table, await rowsOf(old, table));
    }
    await old.close();
    const upgraded = await open({ migrations: ALL });
    for (const [table, rows] of before) {
      const isSlots = table === 'schedule_slots';
      const after = rows.map((row) =>
        isSlots ? { ...row, schedule: 'sch_1' } : { ...row, project: 'default' },
      );
      const found = await rowsOf(upgraded, table);
      expect(found, table).toHaveLength(after.length);
      expect(found, table).toEqual(expect.arrayContaining(after));
    }
    const projects = await upgraded.read((tx) => tx.sql.all('SELECT key, archived_at FROM projects'));
    expect(projects).toEqual([{ key: 'default', archived_at: null }]);
  });
});

import { runMigrations } from '@palisade/runs';
import { eachDatabase } from '@palisade/kernel/testing';
import { expect, it } from 'vitest';
import { planMigrations } from '../plans/plan-schema.ts';

eachDatabase('the schema of requests', (open) => {
  it('DI-193: of what was decided before it was counted, only what the run was submitted with was there for certain', async () => {
    const before = planMigrations.filter(({ id }) => id !== 'dispatch-requests-0002-items');
    expect(before).toHaveLength(planMigrations.length - 1);
    const old = await open({ migrations: [...runMigrations, ...before] });
    await old.write(async ({ sql }) => {
      for (const [ordinal, id] of ['gate', 'write', 'later'].entries())
        await sql.run(
          "INSERT INTO plan_items (run_id, ordinal, item_id, state, attempt, failures, lost) VALUES ('r', ?, ?, 'pending', 0, 0, 0)",
          [ordinal, id],
        );
      await sql.run("INSERT INTO run_parts (run_id, seq, ref, items) VALUES ('r', 1, 'ref', 1)", []);
      for (const [id, endedAt] of [
        ['decided', 5],
        ['open', null],
      ])
        await sql.run(
          `INSERT INTO item_requests (run_id, id, item_id, ordinal, attempt, kind, hash, body, asked_at, ended_at)
           VALUES ('r', ?, 'gate', 0, 1, 'approval', 'hash', '{}', 1, ?)`,
          [id ?? '', endedAt ?? null],
        );
    });
    await old.close();
    const upgraded = await open({ migrations: [...runMigrations, ...planMigrations] });
    const rows = await upgraded.read((tx) => tx.sql.all('SELECT id, items FROM item_requests ORDER BY id'));
    expect(rows.map(({ id, items }) => [id, items])).toEqual([
      ['decided', 2],
      ['open', null],
    ]);
  });
});

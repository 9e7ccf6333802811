import { type BoundOperation, bindOperation, getUsage, type Spent } from '@palisade/contracts';
import type { Database } from '@palisade/kernel';
import { sumOf, usageBy } from '@palisade/runs';

/** What attempts used, from the record of each: failed and repeated ones too, of runs under way as well. */
export function usageOperations(database: Database): BoundOperation[] {
  return [
    bindOperation(getUsage, async ({ by = 'agent', since = 0 }, { project }) => {
      const rows = await database.read((tx) => usageBy(tx, project, by, since));
      const total = sumOf(rows.map((spent) => ({ spent })));
      return {
        by,
        ...(since === 0 ? {} : { since }),
        data: rows.map((row) => ({ ...(row.key === null ? {} : { key: row.key }), ...usageView(row) })),
        total: usageView(total),
      };
    }),
  ];
}

/** An account for people. */
export function usageView(spent: Spent) {
  return {
    cost_usd: spent.cost_micro_usd / 1e6,
    tokens: spent.tokens,
    seconds: spent.run_ms / 1000,
    attempts: spent.attempts,
    unknown_cost: spent.unknown_cost,
    unknown_tokens: spent.unknown_tokens,
  };
}

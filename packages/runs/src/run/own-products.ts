import type { ContentHash } from '@palisade/contracts';
import type { Database } from '@palisade/kernel';
import { hasUnread, readUnread } from './product-refs.ts';

/** Addresses looked up by one statement. */
const LOOKED_UP_AT_ONCE = 500;

/**
 * Of some addresses those at which an attempt of the project, or of one run of it, left something: content is kept once for all
 * projects, and its address must not be enough to read another's (EX-020). `runId` is the id of a root run.
 */
export async function ownProducts(
  database: Database,
  { project, runId }: { readonly project: string; readonly runId?: string | undefined },
  refs: Iterable<ContentHash>,
): Promise<Set<ContentHash>> {
  if (await database.read((tx) => hasUnread(tx, project)))
    while (!(await database.write((tx) => readUnread(tx, project))));
  const asked = [...new Set(refs)];
  const own = new Set<ContentHash>();
  for (let i = 0; i < asked.length; i += LOOKED_UP_AT_ONCE) {
    const some = asked.slice(i, i + LOOKED_UP_AT_ONCE);
    // One step into the index for each address, however many runs left the same.
    const rows = await database.read((tx) =>
      tx.sql.all<{ ref: ContentHash }>(
        `SELECT a.column1 AS ref FROM (VALUES ${some.map(() => '(?)').join(', ')}) AS a WHERE EXISTS (
           SELECT 1 FROM product_refs p JOIN runs r ON r.id = p.run_id
           WHERE p.project = ? AND p.ref = a.column1 AND r.retired_at IS NULL${runId === undefined ? '' : ' AND p.run_id = ?'})`,
        [...some, project, ...(runId === undefined ? [] : [runId])],
      ),
    );
    for (const { ref } of rows) own.add(ref);
  }
  return own;
}

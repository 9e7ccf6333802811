import { type ContentHash, ProductFacts } from '@palisade/contracts';
import type { ReadTx, WriteTx } from '@palisade/kernel';

/** Rows written by one statement. */
const ROWS_AT_ONCE = 200;
/** Attempts from before references were recorded, read by one unit of work. */
const UNREAD_AT_ONCE = 20;

/** Whose products they are: a run is its root. */
interface Whose {
  readonly project: string;
  readonly runId: string;
}

/** Every address at which something of a product itself is stored. What its texts and names say is none. */
export function refsOf(product: ProductFacts): ContentHash[] {
  const { result_ref, conflicts_ref, log_ref, agent_session, question, outputs = [] } = product;
  return [
    result_ref,
    conflicts_ref,
    log_ref,
    agent_session?.state_ref,
    question?.partial_state?.ref,
    ...outputs.map(({ ref }) => ref),
  ].filter((ref) => ref !== undefined);
}

/** Records that a run of the project left what is stored at these addresses; in the unit of work that records the product. */
export async function putRefs(
  tx: WriteTx,
  { project, runId }: Whose,
  refs: Iterable<ContentHash>,
): Promise<void> {
  const left = [...new Set(refs)];
  for (let i = 0; i < left.length; i += ROWS_AT_ONCE) {
    const some = left.slice(i, i + ROWS_AT_ONCE);
    await tx.sql.run(
      `INSERT INTO product_refs (project, ref, run_id) VALUES ${some.map(() => '(?, ?, ?)').join(', ')} ON CONFLICT DO NOTHING`,
      some.flatMap((ref) => [project, ref, runId]),
    );
  }
}

/** Whether the project has attempts whose references {@link readUnread} has not recorded yet. */
export async function hasUnread(tx: ReadTx, project: string): Promise<boolean> {
  return (
    (await tx.sql.get('SELECT id FROM unread_products WHERE project = ? LIMIT 1', [project])) !== undefined
  );
}

/**
 * Records the references of some attempts that ended before there was a table of them; true once none is left. Of outputs that only a
 * listing names nothing is recorded: an agent could have left a file that looks like one.
 */
export async function readUnread(tx: WriteTx, project: string): Promise<boolean> {
  const rows = await tx.sql.all<{ id: string; run_id: string; product: string | null }>(
    `SELECT u.id, u.run_id, c.product FROM unread_products u LEFT JOIN runs c ON c.id = u.id
     WHERE u.project = ? ORDER BY u.run_id, u.id LIMIT ?`,
    [project, UNREAD_AT_ONCE],
  );
  for (const { id, run_id: runId, product } of rows) {
    const read = ProductFacts.safeParse(jsonOf(product));
    if (read.success) await putRefs(tx, { project, runId }, refsOf(read.data));
    await tx.sql.run('DELETE FROM unread_products WHERE run_id = ? AND id = ?', [runId, id]);
  }
  return rows.length < UNREAD_AT_ONCE;
}

/** Removes what is recorded of a run, at most `limit` rows of a kind; true once none is left. */
export async function removeRefs(tx: WriteTx, runId: string, limit: number): Promise<boolean> {
  const refs = await tx.sql.run(
    'DELETE FROM product_refs WHERE run_id = ? AND ref IN (SELECT ref FROM product_refs WHERE run_id = ? LIMIT ?)',
    [runId, runId, limit],
  );
  const unread = await tx.sql.run(
    'DELETE FROM unread_products WHERE run_id = ? AND id IN (SELECT id FROM unread_products WHERE run_id = ? LIMIT ?)',
    [runId, runId, limit],
  );
  return refs < limit && unread < limit;
}

function jsonOf(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

import type { BlobStore, ContentHash } from '@palisade/contracts';
import type { Database, SqlValue } from '@palisade/kernel';
import { listingsOf, listingText } from '../retention/reachable-blobs.ts';

/** Attempts with listings that are looked through, newest first. */
const LISTINGS = 200;

const OF_PROJECT = `FROM runs c JOIN runs r ON r.id = c.parent_run_id
  WHERE c.project = ? AND c.parent_run_id IS NOT NULL AND r.retired_at IS NULL AND c.product LIKE ?`;

/**
 * True when an attempt of the project, or of one run of it, left what is stored at an address: content is kept once for all
 * projects, and its address must not be enough to read another's (EX-020). With a run it is a look at its attempts; without, at the
 * products of the whole project.
 */
export async function isOwnProduct(
  { database, blobs }: { readonly database: Database; readonly blobs: Pick<BlobStore, 'get'> },
  { project, runId }: { readonly project: string; readonly runId?: string | undefined },
  ref: ContentHash,
): Promise<boolean> {
  const from = runId === undefined ? OF_PROJECT : `${OF_PROJECT} AND c.parent_run_id = ?`;
  const params = (pattern: string): SqlValue[] => [project, pattern, ...(runId === undefined ? [] : [runId])];
  const { isNamed, listed } = await database.read(async (tx) => {
    if ((await tx.sql.get(`SELECT c.id ${from} LIMIT 1`, params(`%${ref}%`))) !== undefined)
      return { isNamed: true, listed: [] };
    const rows = await tx.sql.all<{ product: string }>(
      `SELECT c.product ${from} ORDER BY c.finished_at DESC LIMIT ${LISTINGS}`,
      params('%"outputs%.json"%'),
    );
    return { isNamed: false, listed: rows.flatMap(({ product }) => listingsOf(product)) };
  });
  if (isNamed) return true;
  for (const listing of new Set(listed)) if ((await listingText(blobs, listing)).includes(ref)) return true;
  return false;
}

import type { ContentHash } from '@palisade/contracts';
import { type Database, revisionHashes } from '@palisade/kernel';

const PAGE = 1_000;

/**
 * Addresses of blobs that must be there: what the registry names, and what attempts of runs that are kept left. `reachableBlobs` has more,
 * since what looks like an address in a text may be none.
 */
export async function requiredBlobs(database: Database): Promise<Set<ContentHash>> {
  const required = new Set<ContentHash>();
  const addPages = async (page: (after: string) => Promise<ContentHash[]>): Promise<void> => {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const hashes: ContentHash[] = await page(after);
      for (const hash of hashes) required.add(hash);
      after = hashes.at(-1);
    }
  };
  await addPages((after) => database.read((tx) => revisionHashes(tx, { after, limit: PAGE })));
  await addPages((after) =>
    database.read(async (tx) => {
      const rows = await tx.sql.all<{ ref: ContentHash }>(
        `SELECT DISTINCT p.ref FROM product_refs p JOIN runs r ON r.id = p.run_id
         WHERE r.retired_at IS NULL AND p.ref > ? ORDER BY p.ref LIMIT ?`,
        [after, PAGE],
      );
      return rows.map(({ ref }) => ref);
    }),
  );
  return required;
}

import {
  type BlobStore,
  type ContentHash,
  isContentHash,
  isPalisadeError,
  type ProductFacts,
} from '@palisade/contracts';
import { type Database, type ReadTx, revisionHashes } from '@palisade/kernel';

const PAGE = 20;
const HASHES = 1_000;
/** An output that may be the listing of all outputs (see `boundProduct`), and the most bytes one can have. */
const LISTING = /^outputs(-\d+)?\.json$/;
const LISTING_BYTES = 16 * 1024 * 1024;
/** Clocks of a database server and of this machine may differ by less than this. */
const SKEW_MS = 60 * 60 * 1000;

/** A document a run came to consist of after it was submitted. */
interface Part {
  readonly id: string;
  readonly seq: number;
  readonly body: string;
}

/** Of a root run `r`: kept, also when those that ended at or before a moment, or are kept no longer at another, were retired. */
const KEPT = `r.retired_at IS NULL AND (r.finished_at IS NULL OR r.sealed_at IS NULL
  OR (r.finished_at > ? AND (r.keep_ms IS NULL OR r.finished_at + r.keep_ms > ?)))`;
const PLANS = `SELECT r.id, d.body FROM runs r JOIN documents d ON d.run_id = r.id AND d.ref = r.plan_ref
  WHERE r.parent_run_id IS NULL AND r.id > ? AND ${KEPT} ORDER BY r.id LIMIT 1`;
const PARTS = `SELECT p.run_id AS id, p.seq, d.body FROM run_parts p JOIN runs r ON r.id = p.run_id
  JOIN documents d ON d.run_id = p.run_id AND d.ref = p.ref
  WHERE (p.run_id > ? OR (p.run_id = ? AND p.seq > ?)) AND ${KEPT} ORDER BY p.run_id, p.seq LIMIT 1`;
const ATTEMPTS = `SELECT c.id, c.product, d.body FROM runs c JOIN runs r ON r.id = c.parent_run_id
  LEFT JOIN documents d ON d.run_id = c.parent_run_id AND d.ref = c.manifest_ref
  WHERE c.parent_run_id IS NOT NULL AND c.id > ? AND ${KEPT} ORDER BY c.id LIMIT ?`;

/**
 * Every address that must be kept: what the registry ever named; and of every run that is kept whatever its
 * plan, its manifests and the products of all its attempts name, the outputs too that only a listing names.
 * Addresses are looked for in the text of what is stored, so that nothing anybody adds to it is
 * forgotten; to keep too much is harmless. Read page by page, each in a snapshot of its own.
 *
 * @param except leaves out sealed runs that ended at or before a moment, or that their plans keep no longer at
 *   `now`, as if they were retired
 * @throws PalisadeError `integrity_mismatch` for a damaged listing: what it names is not known then
 */
export async function reachableBlobs(
  database: Database,
  blobs: Pick<BlobStore, 'get'>,
  {
    except: { endedBefore = 0, now = 0 } = {},
    signal,
  }: {
    readonly except?: { readonly endedBefore?: number; readonly now?: number };
    readonly signal?: AbortSignal;
  } = {},
): Promise<Set<ContentHash>> {
  const reachable = new Set<ContentHash>();
  for await (const page of pages(database, signal, registryPage))
    for (const hash of page) reachable.add(hash);
  for await (const [plan] of pages(database, signal, (tx, after) =>
    tx.sql.all<{ id: string; body: string }>(PLANS, [after, endedBefore, now]),
  ))
    addRefs(reachable, plan?.body);
  for (let at: Part | undefined = { id: '', seq: 0, body: '' }; at !== undefined; ) {
    signal?.throwIfAborted();
    const { id, seq }: Part = at;
    at = await database.read((tx) => tx.sql.get<Part>(PARTS, [id, id, seq, endedBefore, now]));
    addRefs(reachable, at?.body);
  }
  for await (const attempts of pages(database, signal, (tx, after) =>
    tx.sql.all<{ id: string; product: string | null; body: string | null }>(ATTEMPTS, [
      after,
      endedBefore,
      now,
      PAGE,
    ]),
  )) {
    for (const { product, body } of attempts) {
      addRefs(reachable, body);
      addRefs(reachable, product);
      for (const ref of listingsOf(product)) addRefs(reachable, await listingText(blobs, ref));
    }
  }
  return reachable;
}

/**
 * The moment (Unix ms) before which blobs that nothing refers to were abandoned: `graceMs` ago, and before
 * the oldest attempt that is under way began. An attempt's product is stored before the commit that names
 * it, and the process in between may stand still for as long as a machine can sleep.
 */
export async function abandonedBefore(database: Database, graceMs: number): Promise<number> {
  const oldest = await database.read((tx) =>
    tx.sql.get<{ at: number | null }>(
      'SELECT MIN(started_at) AS at FROM runs WHERE parent_run_id IS NOT NULL AND finished_at IS NULL AND state <> ?',
      // A person who decides stores nothing meanwhile, and may take weeks.
      ['waiting'],
    ),
  );
  return Math.min(Date.now() - graceMs, (oldest?.at ?? Number.POSITIVE_INFINITY) - SKEW_MS);
}

async function registryPage(tx: ReadTx, after: string): Promise<ContentHash[]> {
  return revisionHashes(tx, { after, limit: HASHES });
}

/** Pages of rows that have an `id`, or are one themselves, in order, until an empty one. */
async function* pages<T extends string | { readonly id: string }>(
  database: Database,
  signal: AbortSignal | undefined,
  read: (tx: ReadTx, after: string) => Promise<T[]>,
): AsyncGenerator<T[]> {
  for (let after = ''; ; ) {
    signal?.throwIfAborted();
    const page = await database.read((tx) => read(tx, after));
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    after = typeof last === 'string' ? last : last.id;
  }
}

function addRefs(reachable: Set<ContentHash>, text: string | null | undefined): void {
  for (const [ref] of (text ?? '').matchAll(/sha256:[0-9a-f]{64}/g))
    if (isContentHash(ref)) reachable.add(ref);
}

/** Listings of outputs that a product names. */
function listingsOf(product: string | null): ContentHash[] {
  if (product === null) return [];
  const { outputs = [] } = JSON.parse(product) as ProductFacts;
  return outputs.filter(({ path }) => LISTING.test(path)).map(({ ref }) => ref);
}

/** What a listing says. An agent may have left a file of that name itself: one that is too big for a listing, or gone, is none. */
async function listingText(blobs: Pick<BlobStore, 'get'>, ref: ContentHash): Promise<string> {
  try {
    return (await blobs.get(ref, { maxBytes: LISTING_BYTES })).toString('latin1');
  } catch (error) {
    if (isPalisadeError(error, 'not_found') || isPalisadeError(error, 'too_large')) return '';
    throw error;
  }
}

import type { ReadTx, WriteTx } from '@palisade/kernel';

export type AttesterKind = 'timestamp' | 'witness';

/** How it went with an authority or a witness. */
export interface AttesterState {
  readonly name: string;
  readonly kind: AttesterKind;
  /** Size of the largest tree it attested; 0 when none. */
  readonly treeSize: number;
  readonly attestedAt: number | null;
  /** Failures since it attested last. */
  readonly failures: number;
  readonly lastError: string | null;
  readonly nextTryAt: number;
}

/** A head of the log with what others said of it. */
export interface AttestedCheckpoint {
  readonly size: number;
  /** Signed by the log alone. */
  readonly note: string;
  readonly timestamp: { readonly token: Buffer; readonly at: number } | null;
  /** Lines of cosignatures by witness. */
  readonly cosignatures: readonly string[];
}

/** At most so many heads are looked at for one leaf. */
const CANDIDATES = 64;

/**
 * Keeps a head of the log. The same tree may be signed again, by the next key: the former note stays when a
 * timestamp is of it.
 */
async function keepCheckpoint(tx: WriteTx, size: number, note: string): Promise<void> {
  await tx.sql.run(
    `INSERT INTO log_checkpoints (tree_size, note) VALUES (?, ?) ON CONFLICT (tree_size) DO UPDATE
     SET note = CASE WHEN log_checkpoints.timestamp_token IS NULL THEN excluded.note ELSE log_checkpoints.note END`,
    [size, note],
  );
}

/** Keeps a timestamp over a head (`note` is what it is of), unless it has one. `at` is the time it states. */
export async function keepTimestamp(
  tx: WriteTx,
  head: { readonly size: number; readonly note: string },
  token: Uint8Array,
  at: number,
): Promise<void> {
  await keepCheckpoint(tx, head.size, head.note);
  await tx.sql.run(
    'UPDATE log_checkpoints SET timestamp_token = ?, attested_at = ? WHERE tree_size = ? AND note = ? AND timestamp_token IS NULL',
    [Buffer.from(token).toString('base64'), at, head.size, head.note],
  );
}

/** Keeps a witness's line under a head; a later one replaces an earlier. */
export async function keepCosignature(
  tx: WriteTx,
  head: { readonly size: number; readonly note: string },
  witness: string,
  line: string,
): Promise<void> {
  await keepCheckpoint(tx, head.size, head.note);
  await tx.sql.run(
    'INSERT INTO log_cosignatures (tree_size, witness, line) VALUES (?, ?, ?) ON CONFLICT (tree_size, witness) DO UPDATE SET line = excluded.line',
    [head.size, witness, line],
  );
}

/** Attested heads that hold a leaf, the earliest first. */
export async function checkpointsOver(tx: ReadTx, leafIndex: number): Promise<AttestedCheckpoint[]> {
  const rows = await tx.sql.all<{
    tree_size: number;
    note: string;
    timestamp_token: string | null;
    attested_at: number | null;
  }>(
    `SELECT tree_size, note, timestamp_token, attested_at FROM log_checkpoints WHERE tree_size > ? ORDER BY tree_size LIMIT ${CANDIDATES}`,
    [leafIndex],
  );
  const last = rows.at(-1);
  if (last === undefined) return [];
  const lines = await tx.sql.all<{ tree_size: number; line: string }>(
    'SELECT tree_size, line FROM log_cosignatures WHERE tree_size > ? AND tree_size <= ? ORDER BY tree_size, witness',
    [leafIndex, last.tree_size],
  );
  return rows.map(({ tree_size: size, note, timestamp_token: token, attested_at: at }) => ({
    size,
    note,
    timestamp: token === null || at === null ? null : { token: Buffer.from(token, 'base64'), at },
    cosignatures: lines.filter((row) => row.tree_size === size).map(({ line }) => line),
  }));
}

export async function listAttesters(tx: ReadTx): Promise<AttesterState[]> {
  const rows = await tx.sql.all<{
    name: string;
    kind: string;
    tree_size: number;
    attested_at: number | null;
    failures: number;
    last_error: string | null;
    next_try_at: number;
  }>(
    'SELECT name, kind, tree_size, attested_at, failures, last_error, next_try_at FROM log_attesters ORDER BY kind, name',
  );
  return rows.map((row) => ({
    name: row.name,
    kind: row.kind === 'timestamp' ? 'timestamp' : 'witness',
    treeSize: row.tree_size,
    attestedAt: row.attested_at,
    failures: row.failures,
    lastError: row.last_error,
    nextTryAt: row.next_try_at,
  }));
}

/** An authority or witness attested the tree of this size. */
export async function recordSuccess(
  tx: WriteTx,
  { name, kind }: Pick<AttesterState, 'name' | 'kind'>,
  size: number,
): Promise<void> {
  await tx.sql.run(
    `INSERT INTO log_attesters (name, kind, tree_size, attested_at, failures, last_error, next_try_at) VALUES (?, ?, ?, ?, 0, NULL, 0)
     ON CONFLICT (name) DO UPDATE SET tree_size = excluded.tree_size, attested_at = excluded.attested_at, failures = 0, last_error = NULL, next_try_at = 0`,
    [name, kind, size, tx.now],
  );
}

/** It failed; it is asked again after a pause. */
export async function recordFailure(
  tx: WriteTx,
  { name, kind }: Pick<AttesterState, 'name' | 'kind'>,
  error: string,
  nextTryAt: number,
): Promise<void> {
  await tx.sql.run(
    `INSERT INTO log_attesters (name, kind, tree_size, failures, last_error, next_try_at) VALUES (?, ?, 0, 1, ?, ?)
     ON CONFLICT (name) DO UPDATE SET failures = log_attesters.failures + 1, last_error = excluded.last_error, next_try_at = excluded.next_try_at`,
    [name, kind, error, nextTryAt],
  );
}

import { type DsseEnvelope, PalisadeError } from '@palisade/contracts';
import type { PublishedKey } from '@palisade/evidence';
import type { ReadTx, WriteTx } from '@palisade/kernel';

export interface StoredSeal {
  readonly index: number;
  readonly leaf: Buffer;
  readonly envelope: DsseEnvelope;
}

/** Appends a run's leaf once; a run that has one keeps it (DI-226). */
export async function appendLeaf(
  tx: WriteTx,
  runId: string,
  leaf: Uint8Array,
  envelope: DsseEnvelope,
): Promise<void> {
  const known = await tx.sql.get('SELECT leaf_index FROM log_leaves WHERE run_id = ?', [runId]);
  if (known !== undefined) return;
  const last = await tx.sql.get<{ leaf_index: number | null }>(
    'SELECT MAX(leaf_index) AS leaf_index FROM log_leaves',
  );
  await tx.sql.run('INSERT INTO log_leaves (leaf_index, run_id, leaf, envelope) VALUES (?, ?, ?, ?)', [
    (last?.leaf_index ?? -1) + 1,
    runId,
    Buffer.from(leaf).toString('utf8'),
    JSON.stringify(envelope),
  ]);
}

export async function findSeal(tx: ReadTx, runId: string): Promise<StoredSeal | undefined> {
  const row = await tx.sql.get<{ leaf_index: number; leaf: string; envelope: string }>(
    'SELECT leaf_index, leaf, envelope FROM log_leaves WHERE run_id = ?',
    [runId],
  );
  if (row === undefined) return undefined;
  return {
    index: row.leaf_index,
    leaf: Buffer.from(row.leaf, 'utf8'),
    envelope: JSON.parse(row.envelope) as DsseEnvelope,
  };
}

export async function logSize(tx: ReadTx): Promise<number> {
  const row = await tx.sql.get<{ leaf_index: number | null }>(
    'SELECT MAX(leaf_index) AS leaf_index FROM log_leaves',
  );
  return (row?.leaf_index ?? -1) + 1;
}

export async function readLeaves(tx: ReadTx, from: number, count: number): Promise<Buffer[]> {
  const rows = await tx.sql.all<{ leaf: string }>(
    'SELECT leaf FROM log_leaves WHERE leaf_index >= ? AND leaf_index < ? ORDER BY leaf_index',
    [from, from + count],
  );
  return rows.map((row) => Buffer.from(row.leaf, 'utf8'));
}

/** The log's name, chosen once per installation. */
export async function logOrigin(tx: WriteTx, choose: () => string): Promise<string> {
  await tx.sql.run('INSERT INTO installation (id, log_origin) VALUES (1, ?) ON CONFLICT (id) DO NOTHING', [
    choose(),
  ]);
  const row = await tx.sql.get<{ log_origin: string }>('SELECT log_origin FROM installation WHERE id = 1');
  if (row === undefined) throw new PalisadeError('internal', 'the installation has no log');
  return row.log_origin;
}

/** The log's name; undefined in a database that was never set up. */
export async function findOrigin(tx: ReadTx): Promise<string | undefined> {
  const row = await tx.sql.get<{ log_origin: string }>('SELECT log_origin FROM installation WHERE id = 1');
  return row?.log_origin;
}

/**
 * The log's name when the installation is set up already, with this key known: opening it then writes
 * nothing, and a full disk does not keep anybody from reading. Undefined when something is missing.
 */
export async function knownOrigin(tx: ReadTx, keyid: string): Promise<string | undefined> {
  const row = await tx.sql.get<{ log_origin: string }>(
    'SELECT log_origin FROM installation WHERE id = 1 AND EXISTS (SELECT 1 FROM signing_keys WHERE keyid = ?)',
    [keyid],
  );
  return row?.log_origin;
}

/**
 * Remembers a public key the first time it is used. Its period begins before what has ended by now and is
 * not sealed yet: it is this key that seals it.
 */
export async function rememberKey(
  tx: WriteTx,
  key: { readonly keyid: string; readonly alg: 'ed25519' | 'ecdsa-p256'; readonly spkiDer: Uint8Array },
): Promise<void> {
  const notBefore = Math.min(tx.now, (await oldestUnsealed(tx)) ?? tx.now);
  await tx.sql.run(
    'INSERT INTO signing_keys (keyid, alg, spki_der, not_before) VALUES (?, ?, ?, ?) ON CONFLICT (keyid) DO NOTHING',
    [key.keyid, key.alg, Buffer.from(key.spkiDer).toString('base64'), notBefore],
  );
}

/** When the first run ended that is not sealed yet; undefined when there is none. */
async function oldestUnsealed(tx: ReadTx): Promise<number | undefined> {
  const row = await tx.sql.get<{ at: number | null }>(
    'SELECT MIN(finished_at) AS at FROM runs WHERE parent_run_id IS NULL AND finished_at IS NOT NULL AND sealed_at IS NULL',
  );
  return row?.at ?? undefined;
}

/** True for a key that may sign now. */
export async function isActiveKey(tx: ReadTx, keyid: string): Promise<boolean> {
  return (
    (await tx.sql.get(
      'SELECT keyid FROM signing_keys WHERE keyid = ? AND not_after IS NULL AND revoked_at IS NULL',
      [keyid],
    )) !== undefined
  );
}

/** True for a key that may not sign any more; one that was never used is not known. */
export async function isRetiredKey(tx: ReadTx, keyid: string): Promise<boolean> {
  return (
    (await tx.sql.get(
      'SELECT keyid FROM signing_keys WHERE keyid = ? AND (not_after IS NOT NULL OR revoked_at IS NOT NULL)',
      [keyid],
    )) !== undefined
  );
}

/** Ends a key's period (exclusive). */
export async function retireKey(tx: WriteTx, keyid: string, notAfter: number): Promise<void> {
  await tx.sql.run('UPDATE signing_keys SET not_after = ? WHERE keyid = ? AND not_after IS NULL', [
    notAfter,
    keyid,
  ]);
}

/** Declares a key compromised since a time; an earlier declaration stays. */
export async function revokeKeySince(tx: WriteTx, keyid: string, since: number): Promise<void> {
  await tx.sql.run(
    'UPDATE signing_keys SET revoked_at = ? WHERE keyid = ? AND (revoked_at IS NULL OR revoked_at > ?)',
    [since, keyid, since],
  );
}

export async function listKeys(tx: ReadTx): Promise<PublishedKey[]> {
  const rows = await tx.sql.all<{
    keyid: string;
    alg: string;
    spki_der: string;
    not_before: number;
    not_after: number | null;
    revoked_at: number | null;
  }>(
    'SELECT keyid, alg, spki_der, not_before, not_after, revoked_at FROM signing_keys ORDER BY not_before, keyid',
  );
  return rows.map((row) => ({
    keyid: row.keyid,
    alg: row.alg === 'ed25519' ? 'ed25519' : 'ecdsa-p256',
    publicKeySpkiDer: Buffer.from(row.spki_der, 'base64'),
    notBefore: row.not_before,
    ...(row.not_after === null ? {} : { notAfter: row.not_after }),
    ...(row.revoked_at === null ? {} : { revokedAt: row.revoked_at }),
  }));
}

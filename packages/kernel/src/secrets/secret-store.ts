import { limits, PalisadeError } from '@palisade/contracts';
import type { Database, ReadTx, WriteTx } from '../database/database.ts';
import { answerOrRehearse, type ReceiptKey } from '../receipts/answer-once.ts';
import type { MasterKey } from './master-key.ts';
import { openValue, sealValue } from './sealed-version.ts';
import { assertSecretName, formatSecretRef, parseSecretRef, type SecretRef } from './secret-ref.ts';
import {
  countExpired,
  forgetIfExpired,
  insertVersion,
  listSecrets,
  otherKey,
  readSecret,
  readVersion,
  removeSecret,
  resealVersion,
  sweepExpired,
  type VersionRow,
} from './secret-rows.ts';

export interface SecretStoreOptions {
  readonly database: Database;
  /** Null where none is configured: then metadata can be read, and values neither put nor resolved. */
  readonly masterKey: MasterKey | null;
  /** Secrets of different projects do not see each other. */
  readonly project?: string;
}

/** A version that was put. `ref` names exactly this version. */
export interface PutSecret {
  readonly name: string;
  readonly version: number;
  readonly ref: string;
  readonly created_at: number;
  readonly expires_at: number | null;
  /** False when the value put was the latest one already. */
  readonly created: boolean;
}

/** Everything about a secret that can be read. */
export interface SecretFacts {
  readonly name: string;
  readonly version: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly expires_at: number | null;
}

export interface PutOptions {
  /** How long the value may be used, in protected ms; without it, until it is removed. */
  readonly ttlMs?: number | undefined;
  /**
   * Makes the call repeatable: the same put again is answered from its receipt, so that a late repeat
   * cannot bring a replaced value back. The receipt holds a keyed digest of the value.
   */
  readonly receipt?: ReceiptKey | undefined;
  /** Answers what would be put, and puts nothing; a receipt is neither asked nor left. */
  readonly dryRun?: boolean | undefined;
}

/**
 * Write-only secrets (EX-200, DI-156). A value goes in and comes out again only through `resolve`, at
 * the moment of use. Nothing here, errors included, ever shows one.
 */
export interface SecretStore {
  /**
   * Stores a value under a name, as a new version unless it is the latest, unexpired value already;
   * then that version stays and its expiry starts anew. Raises `too_large` and `master_key_missing`.
   */
  put(name: string, value: string, options?: PutOptions): Promise<PutSecret>;
  /** As {@link SecretStore.put}, in a unit of work of the caller's, and until it is removed. */
  putIn(tx: WriteTx, name: string, value: string): Promise<PutSecret>;
  /** Adds a version, even of an equal value, to a secret that exists (`secret_missing` otherwise). */
  rotate(name: string, value: string, options?: PutOptions): Promise<PutSecret>;
  /**
   * The values that references mean now, in their order, all from one snapshot. Raises `secret_missing`,
   * `secret_expired` (protected time, `now == expires_at` is expired) and `secret_undecryptable`.
   */
  resolve(refs: readonly string[]): Promise<string[]>;
  /** Raises `secret_missing` unless every reference means a version that exists. */
  check(refs: readonly string[]): Promise<void>;
  /** Names and metadata in order, strictly after `after`. */
  list(page: { readonly after?: string; readonly limit: number }): Promise<SecretFacts[]>;
  /** Forgets every version of a secret. Its version numbers are never used again. */
  remove(name: string): Promise<boolean>;
  /** As {@link SecretStore.remove}, in a unit of work of the caller's. */
  removeIn(tx: WriteTx, name: string): Promise<boolean>;
  /** Forgets the values of expired versions of every project, in small units of work (FF-084); returns how many. */
  sweep(signal?: AbortSignal): Promise<number>;
  /** How many values {@link SecretStore.sweep} would forget. */
  countExpired(): Promise<number>;
  /** A keyed digest by which equal values can be recognised and nothing else learnt. */
  fingerprint(value: string): string;
}

const SWEPT_AT_ONCE = 200;

type Writing = (tx: WriteTx, name: string, value: string, expiresAt: number | null) => Promise<PutSecret>;

/** Opens the secrets of one project. Needs {@link secretMigrations}. */
export function secretStore({ database, masterKey, project = 'default' }: SecretStoreOptions): SecretStore {
  const key = (): MasterKey => {
    if (masterKey !== null) return masterKey;
    throw new PalisadeError('master_key_missing', 'secrets need a master key, and none is configured');
  };

  const fingerprint = (value: string): string => key().fingerprint('secret-value', value);

  const add: Writing = async (tx, name, value, expiresAt) => {
    const version = ((await readSecret(tx, project, name))?.latest ?? 0) + 1;
    const sealed = sealValue(key(), { project, name, version, expiresAt }, value);
    await insertVersion(tx, project, { name, version, sealed, key_id: key().id, expires_at: expiresAt });
    return { ...described(name, version), created_at: tx.now, expires_at: expiresAt, created: true };
  };

  const keep = async (
    tx: WriteTx,
    row: VersionRow,
    value: string,
    expiresAt: number | null,
  ): Promise<PutSecret> => {
    const { name, version } = row;
    if (expiresAt !== row.expires_at) {
      const sealed = sealValue(key(), { project, name, version, expiresAt }, value);
      await resealVersion(tx, project, { name, version, sealed, key_id: key().id, expires_at: expiresAt });
    }
    return { ...described(name, version), created_at: row.created_at, expires_at: expiresAt, created: false };
  };

  const write = async (
    name: string,
    value: string,
    { ttlMs, receipt, dryRun }: PutOptions,
    body: (tx: WriteTx, expiresAt: number | null) => Promise<PutSecret>,
  ): Promise<PutSecret> => {
    assertSecretName(name);
    assertValue(name, value);
    const { id } = key();
    const request = { name, value: fingerprint(value), ...(ttlMs === undefined ? {} : { ttlMs }) };
    const execute = async (tx: WriteTx): Promise<PutSecret> => {
      await refuseOtherKey(tx, id);
      return body(tx, ttlMs === undefined ? null : tx.now + ttlMs);
    };
    return answerOrRehearse(database, { receipt, request, dryRun }, execute);
  };

  const valueOf = (row: VersionRow): string => {
    const { name, version, sealed } = row;
    if (sealed === null)
      throw new PalisadeError(
        'secret_expired',
        `the secret ${formatSecretRef({ name, version })} has expired`,
        {
          next: 'put or register its value again',
        },
      );
    return openRow(key(), project, row, sealed);
  };

  /** Reads again with protected time. What is found expired is forgotten at once, so that no clock can bring it back. */
  const withoutExpired = (refs: readonly SecretRef[]): Promise<VersionRow[]> =>
    database.write(async (tx) => {
      const rows: VersionRow[] = [];
      for (const row of await readAll(tx, project, refs))
        rows.push((await forgetIfExpired(tx, project, row)) ? { ...row, sealed: null } : row);
      return rows;
    });

  const addOrKeep: Writing = async (tx, name, value, expiresAt) => {
    const row = await readVersion(tx, project, { name });
    const isLatest = row !== undefined && isUsable(row, tx.now) && isValueOf(key(), project, row, value);
    return isLatest ? keep(tx, row, value, expiresAt) : add(tx, name, value, expiresAt);
  };

  return {
    put: (name, value, options = {}) =>
      write(name, value, options, (tx, expiresAt) => addOrKeep(tx, name, value, expiresAt)),

    async putIn(tx, name, value) {
      assertSecretName(name);
      assertValue(name, value);
      await refuseOtherKey(tx, key().id);
      return addOrKeep(tx, name, value, null);
    },

    rotate: (name, value, options = {}) =>
      write(name, value, options, async (tx, expiresAt) => {
        const secret = await readSecret(tx, project, name);
        if (secret === undefined || secret.removed !== 0) throw missing({ name });
        return add(tx, name, value, expiresAt);
      }),

    async resolve(refs) {
      const parsed = refs.map(parseSecretRef);
      const rows = await database.read((tx) => readAll(tx, project, parsed));
      // Only a unit of work knows the protected time; most secrets have no expiry and need none.
      const isTimeless = rows.every((row) => row.expires_at === null);
      return (isTimeless ? rows : await withoutExpired(parsed)).map(valueOf);
    },

    async check(refs) {
      const parsed = refs.map(parseSecretRef);
      await database.read((tx) => readAll(tx, project, parsed));
    },

    list: ({ after = '', limit }) => database.read((tx) => listSecrets(tx, project, after, limit)),
    remove: (name) => database.write((tx) => removeSecret(tx, project, name)),
    removeIn: (tx, name) => removeSecret(tx, project, name),
    async sweep(signal) {
      for (let total = 0; ; ) {
        signal?.throwIfAborted();
        const swept = await database.write((tx) => sweepExpired(tx, SWEPT_AT_ONCE));
        total += swept;
        if (swept < SWEPT_AT_ONCE) return total;
      }
    },
    countExpired: () => database.write(countExpired),
    fingerprint,
  };
}

async function readAll(tx: ReadTx, project: string, refs: readonly SecretRef[]): Promise<VersionRow[]> {
  const rows: VersionRow[] = [];
  for (const ref of refs) {
    const row = await readVersion(tx, project, ref);
    if (row === undefined) throw missing(ref);
    rows.push(row);
  }
  return rows;
}

/**
 * All values are under one key: a process that still has another one than the rest, as after a
 * replacement it has not noticed, must not seal anything under it.
 */
async function refuseOtherKey(tx: ReadTx, id: string): Promise<void> {
  const other = await otherKey(tx, id);
  if (other === undefined) return;
  throw new PalisadeError('secret_undecryptable', `secrets here are sealed under the master key ${other}`, {
    why: `the master key configured is ${id}`,
    next: 'configure the former key, or remove the secrets sealed under it',
  });
}

/** False also for a damaged ciphertext: putting the value again is how it is repaired. */
function isValueOf(
  key: MasterKey,
  project: string,
  row: VersionRow & { readonly sealed: string },
  value: string,
): boolean {
  try {
    return openRow(key, project, row, row.sealed) === value;
  } catch {
    return false;
  }
}

function openRow(key: MasterKey, project: string, row: VersionRow, sealed: string): string {
  const { name, version, expires_at: expiresAt } = row;
  try {
    return openValue(key, { project, name, version, expiresAt }, sealed);
  } catch (error) {
    const isOurs = row.key_id === key.id;
    throw new PalisadeError(
      'secret_undecryptable',
      `the secret ${formatSecretRef({ name, version })} cannot be decrypted`,
      {
        why: isOurs
          ? 'its ciphertext was damaged or moved'
          : `it is sealed under the master key ${row.key_id}, and the one configured is ${key.id}`,
        next: isOurs ? 'put its value again' : 'configure the master key it was sealed under',
        cause: error,
      },
    );
  }
}

function isUsable(row: VersionRow, now: number): row is VersionRow & { readonly sealed: string } {
  return row.sealed !== null && (row.expires_at === null || row.expires_at > now);
}

function assertValue(name: string, value: string): void {
  if (value === '') throw new PalisadeError('invalid_input', `the value of the secret ${name} is empty`);
  if (!value.isWellFormed())
    throw new PalisadeError('invalid_input', `the value of the secret ${name} is not Unicode text`);
  if (Buffer.byteLength(value) > limits.secretBytes)
    throw new PalisadeError(
      'too_large',
      `the value of the secret ${name} has more than ${limits.secretBytes} bytes`,
    );
}

function described(name: string, version: number): Pick<PutSecret, 'name' | 'version' | 'ref'> {
  return { name, version, ref: formatSecretRef({ name, version }) };
}

function missing(ref: SecretRef): PalisadeError {
  return new PalisadeError('secret_missing', `there is no secret ${formatSecretRef(ref)}`);
}

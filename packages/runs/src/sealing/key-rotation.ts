import { type CallContext, isPalisadeError, PalisadeError, type rotateKey } from '@palisade/contracts';
import type { Signer } from '@palisade/evidence';
import { answerOnce, type Database, receiptOf, type WriteTx } from '@palisade/kernel';
import type * as z from 'zod';
import { listUnsealedRuns } from '../run/run-store.ts';
import { isActiveKey, rememberKey, retireKey } from './seal-store.ts';
import type { SigningKeys } from './signing-keys.ts';

type Input = z.output<(typeof rotateKey)['input']>;
type Output = z.output<(typeof rotateKey)['output']>;

export interface RotationDeps {
  readonly database: Database;
  readonly keys: SigningKeys;
  /** Seals whatever has ended. */
  readonly seal: () => Promise<void>;
  /** Runs a body while nobody publishes the log, and publishes it afterwards. */
  readonly whileUnpublished: <T>(body: () => Promise<T>) => Promise<T>;
}

const ATTEMPTS = 10;

/**
 * Replaces the signing key. Evidence made before stays verifiable: the former key's public half stays in
 * the trust root with the end of its period, and every run that has ended by then is sealed with it. Its
 * private half is destroyed. The two periods overlap by the one millisecond in which this happens.
 *
 * Raises `stale_revision` when another key signs than the caller saw, and `requirements_unmet` while
 * ended runs cannot be sealed.
 */
export async function rotate(deps: RotationDeps, input: Input, context: CallContext): Promise<Output> {
  const present = await deps.keys.current();
  if (input.dry_run === true) return { retired: present.keyid };
  const keyid = input.keyid ?? present.keyid;
  const receipt = receiptOf(context, 'evidence.rotate-key');
  const change = (tx: WriteTx, next: Signer) =>
    answerOnce(tx, receipt, { keyid }, () => changeKey(tx, keyid, next));
  for (let attempt = 1; ; attempt++) {
    await deps.seal();
    try {
      return await deps.whileUnpublished(() => exchange(deps, change));
    } catch (error) {
      if (attempt === ATTEMPTS || !isPalisadeError(error, 'requirements_unmet')) throw error;
    }
  }
}

async function exchange(
  { database, keys }: RotationDeps,
  change: (tx: WriteTx, next: Signer) => Promise<Output>,
): Promise<Output> {
  const next = await keys.makeNext();
  try {
    return await database.write((tx) => change(tx, next));
  } finally {
    // Whether it was committed is for the database to say: a key that it knows is not thrown away.
    if (await database.read((tx) => isActiveKey(tx, next.keyid))) await keys.adoptNext(next.keyid);
    else await keys.dropNext(next.keyid);
  }
}

async function changeKey(tx: WriteTx, keyid: string, next: Signer): Promise<Output> {
  if (!(await isActiveKey(tx, keyid)))
    throw new PalisadeError('stale_revision', `${keyid} is not the key that signs now`, {
      next: 'palisade evidence rotate-key --dry-run',
    });
  const [unsealed] = await listUnsealedRuns(tx, 1);
  if (unsealed !== undefined)
    throw new PalisadeError('requirements_unmet', `run ${unsealed} has ended and is not sealed yet`, {
      why: 'the key that signs now has to seal it; engine.log says what keeps it from that',
      next: `palisade evidence show ${unsealed}`,
    });
  await retireKey(tx, keyid, tx.now + 1);
  await rememberKey(tx, { keyid: next.keyid, alg: next.alg, spkiDer: next.publicKeySpkiDer });
  return { retired: keyid, keyid: next.keyid, at: tx.now };
}

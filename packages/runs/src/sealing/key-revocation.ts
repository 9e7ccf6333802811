import { type CallContext, PalisadeError, type revokeKey } from '@palisade/contracts';
import { answerOnce, type Database, receiptOf, type WriteTx } from '@palisade/kernel';
import type * as z from 'zod';
import { isActiveKey, listKeys, revokeKeySince } from './seal-store.ts';

type Input = z.output<(typeof revokeKey)['input']>;
type Output = z.output<(typeof revokeKey)['output']>;

/**
 * Declares a key compromised (DI-252). What it signed holds from then on only where a verified time is earlier.
 * The key that signs now has to be replaced first: everything it signs would be refused. Raises `not_found`,
 * `invalid_state` for the present key, and `invalid_input` for a time to come.
 */
export function revoke(database: Database, input: Input, context: CallContext): Promise<Output> {
  const { keyid, since } = input;
  const receipt = receiptOf(context, 'evidence.revoke-key');
  const act = (tx: WriteTx): Promise<Output> =>
    input.dry_run === true
      ? outcome(tx, input)
      : answerOnce(tx, receipt, { keyid, since }, async () => {
          const answer = await outcome(tx, input);
          await revokeKeySince(tx, keyid, since);
          return answer;
        });
  return database.write(act, { whilePaused: true });
}

async function outcome(tx: WriteTx, { keyid, since }: Input): Promise<Output> {
  const key = (await listKeys(tx)).find((known) => known.keyid === keyid);
  if (key === undefined)
    throw new PalisadeError('not_found', `this installation never had a key ${keyid}`, {
      next: 'palisade evidence trust-root',
    });
  if (await isActiveKey(tx, keyid))
    throw new PalisadeError('invalid_state', `${keyid} is the key that signs now`, {
      why: 'what it signs from now on would be refused too',
      next: `palisade evidence rotate-key --confirm ${keyid}`,
    });
  if (since > tx.now) throw new PalisadeError('invalid_input', 'a key is not compromised in the future');
  return { keyid, revoked_at: Math.min(since, key.revokedAt ?? since) };
}

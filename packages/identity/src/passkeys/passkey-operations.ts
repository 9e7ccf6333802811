import {
  bindOperation,
  type BoundOperation,
  type CallContext,
  type Json,
  listPasskeys,
  newId,
  PalisadeError,
  passkeyOptions,
  registerPasskey,
  removePasskey,
} from '@palisade/contracts';
import type { Database } from '@palisade/kernel';
import type * as z from 'zod';
import { record } from '../audit/record.ts';
import { assertSignedInOfLate } from '../browser/recent-sign-in.ts';
import { change } from '../callers/change.ts';
import { recheck, unauthenticated } from '../callers/recheck.ts';
import { existingOperator } from '../principals/principal-store.ts';
import { keepChallenge, takeChallenge } from './challenge-store.ts';
import { deletePasskey, insertPasskey, type Passkey, passkeysOf, passkeyView } from './passkey-store.ts';
import type { RelyingParty } from './relying-party.ts';

/** AC-047. */
const MOST = 10;

export interface PasskeyDeps {
  readonly database: Database;
  /** Null where no public origin is configured: then there are no passkeys. */
  readonly party: RelyingParty | null;
}

/** The operations of people on their passkeys (AC-047, AO-165). */
export function passkeyOperations(deps: PasskeyDeps): BoundOperation[] {
  const { database } = deps;
  return [
    bindOperation(passkeyOptions, async (_, context) => {
      const id = signedInPerson(context);
      const { person, known } = await database.read(async (tx) => ({
        person: await existingOperator(tx, id),
        known: await passkeysOf(tx, id),
      }));
      assertRoom(known);
      const options = await configured(deps.party).creation(person, known);
      const challenge = await database.write(async (tx) => {
        await recheck(tx, context.caller);
        await assertSignedInOfLate(tx, context);
        return keepChallenge(tx, id, options.challenge);
      });
      return { challenge_id: challenge, options: options as unknown as z.output<typeof Json> };
    }),
    bindOperation(registerPasskey, (input, context) => register(deps, input, context)),
    bindOperation(listPasskeys, (_, { caller }) =>
      database.read(async (tx) => ({
        data: (await passkeysOf(tx, caller.principal ?? '')).map(passkeyView),
      })),
    ),
    bindOperation(removePasskey, async ({ passkey: id, dry_run: dryRun }, context) => {
      const owner = signedInPerson(context);
      const made = { operation: removePasskey, action: 'passkey.deleted', target: id } as const;
      const how = { ...made, request: { id }, dryRun, whilePaused: true };
      const { answer } = await change(database, context, how, async (tx) => {
        await assertSignedInOfLate(tx, context);
        const found = (await passkeysOf(tx, owner)).find((one) => one.id === id);
        if (found === undefined)
          throw new PalisadeError('not_found', `you have no passkey ${id}`, {
            next: 'list your passkeys to see their ids',
          });
        await deletePasskey(tx, id);
        return { answer: passkeyView(found), target: id };
      });
      return answer;
    }),
  ];
}

/** One try: the challenge is gone whatever becomes of it. */
async function register(
  { database, party }: PasskeyDeps,
  input: z.output<(typeof registerPasskey)['input']>,
  context: CallContext,
): Promise<z.output<(typeof registerPasskey)['output']>> {
  const { challenge_id: challengeId, credential, name = 'passkey' } = input;
  const principal = signedInPerson(context);
  const relying = configured(party);
  const challenge = await database.write(async (tx) => {
    await recheck(tx, context.caller);
    return takeChallenge(tx, challengeId, principal);
  });
  const made = challenge === null ? null : await relying.created(credential, challenge);
  if (made === null) throw unauthenticated();
  return database.write(async (tx) => {
    const as = await recheck(tx, context.caller);
    await assertSignedInOfLate(tx, context);
    assertRoom(await passkeysOf(tx, principal));
    const passkey = { ...made, id: newId('pky', tx.now), principal, name, createdAt: tx.now };
    await insertPasskey(tx, passkey);
    await record(tx, context, as, 'passkey.registered', { target: passkey.id, outcome: 'done' });
    return passkeyView({ ...passkey, lastUsedAt: null });
  });
}

function assertRoom(known: readonly Passkey[]): void {
  if (known.length < MOST) return;
  throw new PalisadeError('invalid_state', `there are ${MOST} passkeys already`, {
    next: 'remove one of them first',
  });
}

/** Only whoever signed in in a browser has passkeys; what another credential may do ends before that. */
function signedInPerson({ caller }: CallContext): string {
  if (caller.principal !== null && caller.credential?.startsWith('bses_') === true) return caller.principal;
  throw new PalisadeError('operation_not_permitted', 'only a person who signed in has passkeys', {
    next: 'sign in first',
  });
}

/** The relying party, or `requirements_unmet`. */
export function configured(party: RelyingParty | null): RelyingParty {
  if (party !== null) return party;
  throw new PalisadeError('requirements_unmet', 'passkeys need a public origin, and none is configured', {
    next: 'configure the public origin of this server, or sign in with a password',
  });
}

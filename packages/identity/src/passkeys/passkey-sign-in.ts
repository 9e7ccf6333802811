import { PalisadeError, parseInput, PasskeyAssertion, PasskeyChallengeId } from '@palisade/contracts';
import * as z from 'zod';
import { beginSession, type SignedIn, type SignInDeps } from '../browser/sign-in.ts';
import type { Throttle } from '../passwords/throttle.ts';
import { findPrincipal } from '../principals/principal-store.ts';
import { keepChallenge, takeChallenge } from './challenge-store.ts';
import { configured, type PasskeyDeps } from './passkey-operations.ts';
import { markPasskeyUsed, passkeyByCredential } from './passkey-store.ts';

export interface PasskeySignInDeps extends PasskeyDeps, Pick<SignInDeps, 'cookies'> {
  /** Of challenges, which anybody may ask for. */
  readonly challenges: Throttle;
}

export interface PasskeySignInInput {
  readonly challenge_id: string;
  readonly credential: PasskeyAssertion;
  /** What the cookie of the request holds: that session ends here. */
  readonly previous?: string | undefined;
  readonly requestId?: string | undefined;
}

const Assertion = z.strictObject({ challenge_id: PasskeyChallengeId, credential: PasskeyAssertion });

/** What a browser needs to sign in with a passkey (AC-047). Raises `rate_limited` and `requirements_unmet`. */
export async function passkeyRequest({
  database,
  party,
  challenges,
}: PasskeySignInDeps): Promise<{ readonly challenge_id: string; readonly options: object }> {
  const relying = configured(party);
  challenges.admit('');
  const options = await relying.request();
  return {
    challenge_id: await database.write((tx) => keepChallenge(tx, null, options.challenge)),
    options,
  };
}

/** Signs a person in with a passkey, as `login` does with a password. Whatever is wrong is `authentication_required`. */
export async function passkeySignIn(deps: PasskeySignInDeps, input: PasskeySignInInput): Promise<SignedIn> {
  const { database } = deps;
  const { challenge_id: id, credential: assertion } = parseInput(
    Assertion,
    { challenge_id: input.challenge_id, credential: input.credential },
    'the sign-in with a passkey',
  );
  const relying = configured(deps.party);
  const challenge = await database.write((tx) => takeChallenge(tx, id, null));
  const passkey = await database.read((tx) => passkeyByCredential(tx, assertion.id));
  if (challenge === null || passkey === undefined) throw refused();
  const counter = await relying.signed(assertion, challenge, passkey);
  if (counter === null) throw refused();
  return database.write(async (tx) => {
    const person = await findPrincipal(tx, passkey.principal);
    if (person?.disabledAt !== null || !(await markPasskeyUsed(tx, passkey, counter))) throw refused();
    return beginSession(tx, deps.cookies, person, { ...input, method: 'passkey' });
  });
}

function refused(): PalisadeError {
  return new PalisadeError('authentication_required', 'the passkey was not accepted', {
    next: 'try again, or sign in with your password',
  });
}

import {
  bindOperation,
  type BoundOperation,
  type CallContext,
  type EmailView,
  getEmail,
  PalisadeError,
  resendEmail,
  setEmail,
} from '@palisade/contracts';
import type { WriteTx } from '@palisade/kernel';
import { record } from '../audit/record.ts';
import { assertSignedInOfLate } from '../browser/recent-sign-in.ts';
import { recheck } from '../callers/recheck.ts';
import { assertRevision, type Principal } from '../principals/principal.ts';
import { existingOperator } from '../principals/principal-store.ts';
import { emailOf, putEmail } from './email-store.ts';
import { issueLink, linkOf, newLinkToken, voidLink } from './link-store.ts';
import { type EmailDeps, emailView, PAUSE_MS, sendVerification } from './verification.ts';

/** The operations of people on their address (AC-039, AC-044, AO-162). */
export function emailOperations(deps: EmailDeps): BoundOperation[] {
  const { database } = deps;
  return [
    bindOperation(getEmail, (_, context) => database.read((tx) => emailView(deps, tx, personOf(context)))),
    bindOperation(setEmail, (input, context) =>
      sendLink(deps, context, async (tx, person, as) => {
        await assertSignedInOfLate(tx, context);
        assertRevision(person, input.expected_revision);
        if ((await emailOf(tx, person.id))?.address === input.email)
          throw new PalisadeError('invalid_state', 'this is your address already', {
            next: 'ask for another link, if it is not verified',
          });
        await assertPause(tx, person.id);
        await putEmail(tx, person.id, input.email);
        await voidLink(tx, person.id, 'reset');
        await record(tx, context, as, 'operator.email_set', { target: person.id, outcome: 'done' });
        return input.email;
      }),
    ),
    bindOperation(resendEmail, (_, context) =>
      sendLink(deps, context, async (tx, { id }) => {
        const email = await emailOf(tx, id);
        if (email === undefined)
          throw new PalisadeError('invalid_state', 'you have no address', { next: 'set your address' });
        if (email.verifiedAt !== null)
          throw new PalisadeError('invalid_state', 'your address is verified already', {
            next: 'nothing is to do',
          });
        await assertPause(tx, id);
        return email.address;
      }),
    ),
  ];
}

/** Raises `rate_limited` when this person had a link sent a moment ago, to whatever address: nobody is flooded in their name. */
async function assertPause(tx: WriteTx, id: string): Promise<void> {
  const wait = ((await linkOf(tx, id, 'verify'))?.createdAt ?? -PAUSE_MS) + PAUSE_MS - tx.now;
  if (wait <= 0) return;
  throw new PalisadeError('rate_limited', 'a link was sent less than a minute ago', {
    next: `try again in ${Math.ceil(wait / 1_000)} seconds`,
    retryAfterMs: wait,
  });
}

/** Keeps a new link in one unit of work with `prepare`, sends it after the commit, and records how that went (AC-046). */
async function sendLink(
  deps: EmailDeps,
  context: CallContext,
  prepare: (tx: WriteTx, person: Principal, as: Awaited<ReturnType<typeof recheck>>) => Promise<string>,
): Promise<EmailView> {
  const { database } = deps;
  const id = personOf(context);
  const token = newLinkToken();
  const { person, address } = await database.write(async (tx) => {
    const as = await recheck(tx, context.caller);
    const found = await existingOperator(tx, id);
    const to = await prepare(tx, found, as);
    await issueLink(tx, id, 'verify', token);
    return { person: found, address: to };
  });
  await sendVerification(deps, person, address, token);
  return database.read((tx) => emailView(deps, tx, id));
}

function personOf({ caller }: CallContext): string {
  if (caller.principal !== null && caller.credential?.startsWith('bses_') === true) return caller.principal;
  throw new PalisadeError('operation_not_permitted', 'only a person who signed in has an address', {
    next: 'sign in first',
  });
}

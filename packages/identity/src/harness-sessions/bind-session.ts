import type { Caller, PresentedSession } from '@palisade/contracts';
import type { Database, ReadTx, WriteTx } from '@palisade/kernel';
import { type HarnessSession, isProofOf } from './harness-session.ts';
import { findHarnessSession, markActive } from './harness-session-store.ts';

/**
 * The session that a caller presents, when it is its own: registered by the very credential that is presented, with this proof
 * (AC-058). It may be closed. Undefined otherwise, and nothing tells why.
 */
export async function ownSession(
  tx: ReadTx,
  { credential }: Caller,
  { session: id, proof }: PresentedSession,
): Promise<HarnessSession | undefined> {
  const found = id === undefined ? undefined : await findHarnessSession(tx, id);
  if (found === undefined || found.credential !== credential) return undefined;
  return isProofOf(found, proof) ? found : undefined;
}

/** The caller, bound to the open session it presents; null when that is not good. */
export async function bindSession(
  database: Database,
  caller: Caller,
  presented: PresentedSession,
): Promise<Caller | null> {
  const session = await database.read((tx) => ownSession(tx, caller, presented));
  if (session === undefined || session.closedAt !== null) return null;
  const { id, launch, subagent } = session;
  return { ...caller, session: id, launch, ...(subagent === null ? {} : { subagent: subagent.id }) };
}

/** True while the session that a caller is bound to is open; then something is being changed in it. */
export async function isStillBound(tx: WriteTx, { session: id, credential }: Caller): Promise<boolean> {
  if (id === undefined) return true;
  const session = await findHarnessSession(tx, id);
  if (session === undefined || session.credential !== credential || session.closedAt !== null) return false;
  await markActive(tx, session);
  return true;
}

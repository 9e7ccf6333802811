import { timingSafeEqual } from 'node:crypto';
import type { Caller } from '@palisade/contracts';
import { type Database, expiryTime, type NearClock, type WriteTx } from '@palisade/kernel';
import { isLive } from '../credentials/credential.ts';
import { heldCredential } from '../credentials/credential-store.ts';
import { actorOf } from '../principals/principal.ts';
import { proofHash } from '../harness-sessions/harness-session.ts';
import { findJob } from './job-store.ts';

/** `palr_`, the reporter's UUID, a dot and its proof: no token of a principal looks like one (AC-152). */
const BEARER = /^palr_([0-9a-f]{32})\.([0-9a-f]{64})$/;

/**
 * The reporter `id`, when a bearer is its own and still good: then it calls for the principal of the session that registered it, in one
 * project and with no scope. It ends with that credential or principal and after its days, and not with the session; nothing tells which.
 */
export async function authenticateReporter(
  { database, clock }: { readonly database: Database; readonly clock: Pick<NearClock, 'now'> },
  bearer: string,
  id: string,
): Promise<Caller | null> {
  const [, uuid, proof = ''] = BEARER.exec(bearer) ?? [];
  if (uuid === undefined || id !== `rep_${uuid}`) return null;
  const now = await clock.now();
  return database.read(async (tx) => {
    const job = await findJob(tx, 'reporter', id);
    if (job === undefined || now >= job.expiresAt) return null;
    if (!timingSafeEqual(Buffer.from(proofHash(proof), 'hex'), Buffer.from(job.proofHash, 'hex')))
      return null;
    const held = await heldCredential(tx, 'id', job.credential);
    if (held === undefined || held.principal.disabledAt !== null || !isLive(held.credential, now))
      return null;
    const { principal, credential } = held;
    return {
      actor: actorOf(principal),
      kind: principal.kind,
      scopes: new Set(),
      project: job.project,
      principal: principal.id,
      credential: credential.id,
      class: credential.class,
      reporter: id,
    };
  });
}

/** True while the reporter that calls, if it is one, may report. What it stands on is looked at with the credential. */
export async function isStillReporting(tx: WriteTx, { reporter, credential }: Caller): Promise<boolean> {
  if (reporter === undefined) return true;
  const job = await findJob(tx, 'reporter', reporter);
  return job !== undefined && job.credential === credential && (await expiryTime(tx)) < job.expiresAt;
}

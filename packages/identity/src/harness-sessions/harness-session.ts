import { createHash, timingSafeEqual } from 'node:crypto';
import { type Caller, type HarnessSessionView, SessionProof } from '@palisade/contracts';
import type { Subagent } from './subagent.ts';

/**
 * The session a harness works in (AC-057…AC-061), bound to the credential that registered it. Open: from its registration on, while the
 * credential is good. Closed: by whoever has its proof, by an administrator, with its credential, or by housekeeping when nothing was
 * changed in it for days; for ever.
 */
export interface HarnessSession {
  readonly id: string;
  readonly principal: string;
  readonly credential: string;
  /** SHA-256 of the proof, hex; the proof is nowhere. */
  readonly proofHash: string;
  readonly workstation: string;
  readonly harness: string;
  readonly capabilities: readonly string[];
  readonly subagent: Subagent | null;
  /** Sessions between it and the one at the root, itself counted; 0: it is the root. */
  readonly depth: number;
  readonly launch: string | null;
  readonly createdAt: number;
  readonly lastActivityAt: number;
  readonly closedAt: number | null;
}

/** How far the root of sessions that began one another may be (AC-061). */
const MAX_HOPS = 64;

/** What is kept of a proof: 256 random bits need one round. */
export function proofHash(proof: string): string {
  return createHash('sha256').update(proof, 'utf8').digest('hex');
}

/** True when a proof is the one that the session was registered with; how long it takes tells nothing. */
export function isProofOf({ proofHash: kept }: Pick<HarnessSession, 'proofHash'>, proof: string): boolean {
  if (!SessionProof.safeParse(proof).success) return false;
  return timingSafeEqual(Buffer.from(proofHash(proof), 'hex'), Buffer.from(kept, 'hex'));
}

/** Where a session stands that `parent` began: the chain never changes, so its root is told once. Beyond 64 there is none. */
export function placeUnder(
  id: string,
  parent: Pick<HarnessSession, 'depth' | 'launch'> | undefined,
): Pick<HarnessSession, 'depth' | 'launch'> {
  if (parent === undefined) return { depth: 0, launch: id };
  const depth = parent.depth + 1;
  return { depth, launch: depth > MAX_HOPS ? null : parent.launch };
}

/** Sessions of its own principal, and all of them for whoever may see every project: what they are about is nobody's of one project. */
export function maySee({ principal, project }: Caller, whose: string): boolean {
  return project === null || principal === whose;
}

export function harnessSessionView(session: HarnessSession): HarnessSessionView {
  const { subagent, closedAt } = session;
  return {
    session_id: session.id,
    workstation_id: session.workstation,
    harness: session.harness,
    capabilities: [...session.capabilities],
    principal: session.principal,
    credential: session.credential,
    ...(subagent === null
      ? {}
      : {
          subagent: {
            identity: subagent.id,
            project: subagent.project,
            name: subagent.name,
            parent_session: subagent.parent,
          },
        }),
    launch: session.launch,
    created_at: session.createdAt,
    last_activity_at: session.lastActivityAt,
    ...(closedAt === null ? {} : { closed_at: closedAt }),
  };
}

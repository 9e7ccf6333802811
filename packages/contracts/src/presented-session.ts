import * as z from 'zod';

/** Headers in which a request names its harness session and proves that it is its own. Nowhere else does a proof stand (AO-128). */
export const SESSION_HEADER = 'Palisade-Session';
export const SESSION_PROOF_HEADER = 'Palisade-Session-Proof';

/** 32 random bytes in lower-case hex, made and kept by whoever registers a session with them (AC-057). */
export const SessionProof = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex digits');

/** What a call presents of a harness session. A handler keeps and tells nothing of the proof. */
export interface PresentedSession {
  /** `hses_…`; absent where only a proof is presented, as at a registration. */
  readonly session?: string;
  readonly proof: string;
}

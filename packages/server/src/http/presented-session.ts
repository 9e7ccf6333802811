import { type PresentedSession, SESSION_HEADER, SESSION_PROOF_HEADER } from '@palisade/contracts';

/** What the headers of a request present of a harness session; undefined when it is nothing. Half of it is presented too, and good for nothing. */
export function presentedSession(headers: Headers): PresentedSession | undefined {
  const session = headers.get(SESSION_HEADER);
  const proof = headers.get(SESSION_PROOF_HEADER);
  if (session === null && proof === null) return undefined;
  return { ...(session === null ? {} : { session }), proof: proof ?? '' };
}

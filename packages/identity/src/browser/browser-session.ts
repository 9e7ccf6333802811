import type { BrowserSessionView } from '@palisade/contracts';

/** AC-038: from the sign-in on, whatever is done with it. */
export const SESSION_MS = 12 * 3_600_000;

/** One sign-in of a person in a browser. What its cookie holds is nowhere. */
export interface BrowserSession {
  readonly id: string;
  readonly principal: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly revokedAt: number | null;
}

/** `current` is the credential of the caller that looks. */
export function sessionView(session: BrowserSession, current: string | null): BrowserSessionView {
  return {
    id: session.id,
    principal: session.principal,
    created_at: session.createdAt,
    expires_at: session.expiresAt,
    ...(session.revokedAt === null ? {} : { revoked_at: session.revokedAt }),
    current: session.id === current,
  };
}

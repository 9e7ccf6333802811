import { hash, randomBytes } from 'node:crypto';

const PREFIX = 'pal_';
/** 256 bits in base64url; of the last digit two bits are not used and are zero. */
const SHAPE = /^pal_[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

/** A new token: 256 random bits that nobody can guess, so one round of SHA-256 is enough to keep (AC-050). */
export function newToken(): string {
  return PREFIX + randomBytes(32).toString('base64url');
}

/** True for what may be a token; everything else is refused before the database is asked. */
export function isToken(value: unknown): value is string {
  return typeof value === 'string' && SHAPE.test(value);
}

/** What is kept of a token or of a browser session's value: SHA-256 as hex. */
export function tokenHash(token: string): string {
  return hash('sha256', token, 'hex');
}

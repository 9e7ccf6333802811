import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { SessionCookie } from '@palisade/contracts';
import { SESSION_MS } from './browser-session.ts';

/** Where a browser keeps its session (AC-038). Without TLS, which is for development on one machine, no `__Host-` is possible. */
export class SessionCookies {
  readonly name: string;
  readonly #secure: boolean;

  constructor(insecureLoopback: boolean) {
    this.#secure = !insecureLoopback;
    this.name = insecureLoopback ? 'palisade-session' : '__Host-palisade-session';
  }

  holding(value: string): SessionCookie {
    return this.#cookie(value, SESSION_MS / 1_000);
  }

  get cleared(): SessionCookie {
    return this.#cookie('', 0);
  }

  #cookie(value: string, maxAge: number): SessionCookie {
    const { name } = this;
    return {
      name,
      value,
      attributes: { path: '/', httpOnly: true, sameSite: 'Strict', secure: this.#secure, maxAge },
    };
  }
}

/** 256 random bits. */
export function newSessionValue(): string {
  return randomBytes(32).toString('base64url');
}

export function isSessionValue(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9_-]{43}$/.test(value);
}

/**
 * What a page sends back with every write (AC-038). It follows from the session's value and from nothing else, so it is bound to
 * the session and kept nowhere; it does not lead back to the value.
 */
export function csrfToken(value: string): string {
  return createHmac('sha256', value).update('palisade/csrf/1').digest('base64url');
}

export function isCsrfToken(value: string, presented: unknown): boolean {
  if (!isSessionValue(value) || typeof presented !== 'string') return false;
  const [expected, given] = [Buffer.from(csrfToken(value)), Buffer.from(presented)];
  return expected.byteLength === given.byteLength && timingSafeEqual(expected, given);
}

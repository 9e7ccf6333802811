import { addressClass, PalisadeError } from '@palisade/contracts';

/** What a caller of the outside allows. Everything is denied that is not allowed here by name (EX-215). */
export interface EgressPolicy {
  /** Lets this machine and private networks be reached. Off by default; link-local and reserved addresses never are. */
  readonly allowLocal?: boolean;
  /**
   * Where a clear wire (http) may lead: `local` (the default) only to local addresses that are allowed;
   * `any` is for protocols whose replies prove themselves and whose requests hold no secret.
   */
  readonly clearWire?: 'local' | 'any';
}

/** The host of an address as a resolver takes it: an IPv6 one without brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/**
 * Reads an address that is to be called. Raises `policy_denied` for any scheme but https and http, for a
 * user or password in it, and for http where the policy leaves no place that it could lead to.
 */
export function vetUrl(text: string | URL, policy: EgressPolicy): URL {
  const url = URL.parse(String(text));
  // What cannot be read is not quoted: it may hold a password.
  if (url === null) throw denied('an address outside is malformed');
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw denied(`an address outside must be https, not ${url.protocol.slice(0, -1)}`);
  if (url.username !== '' || url.password !== '')
    throw denied(`the address of ${url.host} holds a user or a password`);
  if (url.protocol === 'http:' && policy.allowLocal !== true && policy.clearWire !== 'any')
    throw denied(`${url.host} would be called by http`, 'use https');
  return url;
}

/**
 * Judges all addresses of a host. One that is not allowed condemns the host: a name that has a public and
 * a local address is one that somebody made to reach the local one. Raises `policy_denied`.
 */
export function vetAddresses(url: URL, addresses: readonly string[], policy: EgressPolicy): void {
  for (const address of addresses) {
    const reach = addressClass(address) ?? 'forbidden';
    if (reach === 'forbidden')
      throw denied(`${url.host} is at ${address}`, 'link-local and reserved addresses are never called');
    if (reach === 'local' && policy.allowLocal !== true)
      throw denied(
        `${url.host} is at ${address}`,
        'addresses of this machine and of private networks are not allowed here',
      );
    if (reach === 'public' && url.protocol === 'http:' && policy.clearWire !== 'any')
      throw denied(`${url.host} is at ${address} and would be called by http`, 'use https');
  }
}

function denied(message: string, why?: string): PalisadeError {
  return new PalisadeError('policy_denied', message, why === undefined ? {} : { why });
}

import { isIP } from 'node:net';
import { PalisadeError } from '@palisade/contracts';

/** A server's origin as it is written everywhere; `invalid_input` for what names none, or would send a credential in clear. */
export function originOf(text: string): string {
  let url: URL | null;
  try {
    url = new URL(text);
  } catch {
    url = null;
  }
  const isPlain =
    url !== null && url.pathname === '/' && `${url.search}${url.hash}${url.username}${url.password}` === '';
  if (url === null || !isPlain || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new PalisadeError('invalid_input', 'a server is named by its origin', {
      next: 'give it as https://HOST or http://127.0.0.1:PORT',
    });
  const isLocal =
    ['localhost', '[::1]'].includes(url.hostname) ||
    (isIP(url.hostname) === 4 && url.hostname.startsWith('127.'));
  if (url.protocol === 'http:' && !isLocal)
    throw new PalisadeError('invalid_input', `${url.origin} would send the credential in clear`, {
      next: 'use https, or an address of this machine',
    });
  return url.origin;
}

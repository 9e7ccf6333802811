import { PalisadeError } from '@palisade/contracts';
import { isLoopback, type ListenAddress } from './http/listen.ts';

/** How browsers reach what is served; the flag `--public-origin` says the same. */
export const PUBLIC_ORIGIN = 'PALISADE_PUBLIC_ORIGIN';

/**
 * The origin by which a server is reached (AC-037, AC-047): of pages whose requests it believes, in links that are mailed, and whose
 * passkeys it takes. Without one it is the address that it listens on, where that is known. Raises `invalid_input` for what is none or
 * would send passwords in clear, and `requirements_unmet` behind TLS, where only the operator knows it.
 */
export function publicOriginOf(
  given: string | undefined,
  { host, port }: ListenAddress,
  isBehindTls: boolean,
): string | undefined {
  if (given !== undefined && given !== '') return originOf(given, isBehindTls);
  if (isBehindTls)
    throw new PalisadeError('requirements_unmet', 'behind TLS it has to be said how the server is reached', {
      next: `give --public-origin https://HOST, or set ${PUBLIC_ORIGIN}`,
    });
  if (port === 0) return undefined;
  return new URL(`http://${host.includes(':') ? `[${host}]` : host}:${port}`).origin;
}

function originOf(text: string, isBehindTls: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url?.pathname === '/' && url.search === '' && url.hash === '' && url.username === '';
  const isLocal = url?.protocol === 'http:' && isLoopback(url.hostname.replaceAll(/[[\]]/g, ''));
  // Requests under it come through what terminates TLS: then no address is that of who asks, and none is believed for it.
  if (isPlain && url.protocol === 'https:' && !isBehindTls)
    throw new PalisadeError(
      'requirements_unmet',
      'an https origin needs something in front that terminates TLS',
      {
        next: 'say so with --behind-tls, or give an origin such as http://localhost:7420',
      },
    );
  if (url !== null && isPlain && (url.protocol === 'https:' || (isLocal && !isBehindTls))) return url.origin;
  throw new PalisadeError('invalid_input', 'the public origin is not one', {
    why: isLocal
      ? 'behind TLS it begins with https'
      : 'passwords and sessions would cross the network in clear, or it says more than a host',
    next: 'give it as https://HOST, or as http://localhost:PORT on this machine',
  });
}

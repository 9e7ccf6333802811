import { PalisadeError } from '@palisade/contracts';
import { isLoopback } from '../http/listen.ts';

/**
 * Refuses what a web page may have sent under a name that it made mean this server (DNS rebinding), and what a page of another origin
 * sent. A server that only this machine reaches is called by a name of this machine; behind a proxy the names are the proxy's to judge.
 * Raises `operation_not_permitted`.
 */
export function assertOwnOrigin(headers: Headers, isBehindProxy: boolean): void {
  const host = hostOf(`http://${headers.get('host') ?? ''}`);
  const origin = headers.get('origin');
  if (host === null || (!isBehindProxy && !isLoopback(host.name)))
    throw new PalisadeError('operation_not_permitted', 'the Host is none of this server', {
      next: 'call it by the address it listens on',
    });
  if (origin === null || hostOf(origin)?.whole === host.whole) return;
  throw new PalisadeError('operation_not_permitted', 'the request comes from a page of another origin', {
    next: 'call it from a program, without an Origin',
  });
}

function hostOf(text: string): { readonly whole: string; readonly name: string } | null {
  if (!URL.canParse(text)) return null;
  const { host, hostname } = new URL(text);
  return host === '' ? null : { whole: host, name: hostname.replaceAll(/[[\]]/g, '') };
}

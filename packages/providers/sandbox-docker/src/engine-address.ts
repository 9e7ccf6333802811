import { isIP } from 'node:net';
import { join } from 'node:path';
import { PalisadeError } from '@palisade/contracts';

/** Where the Docker engine listens. */
export type EngineAddress =
  | { readonly kind: 'unix'; readonly path: string }
  | {
      readonly kind: 'tcp';
      /** Name or address, an IPv6 one without brackets. */
      readonly host: string;
      readonly port: number;
      /** Directory of `ca.pem`, `cert.pem` and `key.pem`; null is plain text, which only this machine may hear. */
      readonly certificates: string | null;
    };

type Variables = Readonly<Record<string, string | undefined>>;

const DEFAULT_SOCKET = '/var/run/docker.sock';
const PORTS = { plain: 2375, tls: 2376 };

/**
 * The engine that `DOCKER_HOST`, `DOCKER_TLS_VERIFY` and `DOCKER_CERT_PATH` name; the local socket without
 * them. Contexts of the docker command are not read.
 *
 * Threat: who speaks as the engine gets every secret of an attempt. So TLS always verifies, and an address
 * without it is taken only where no network is in between.
 *
 * @throws PalisadeError `invalid_input` for an address that cannot be used, with what to do instead
 */
export function engineAddress(env: Variables): EngineAddress {
  const given = env['DOCKER_HOST'] ?? '';
  if (given === '') return { kind: 'unix', path: DEFAULT_SOCKET };
  const [, scheme = '', rest = ''] = /^([a-z]+):\/\/(.*)$/s.exec(given) ?? [];
  if (scheme === 'unix') {
    if (!rest.startsWith('/')) throw unusable('the path of the socket is not absolute', 'unix:///path');
    return { kind: 'unix', path: rest };
  }
  if (scheme === 'ssh')
    throw unusable(
      'ssh:// is not supported',
      'unix://PATH of a socket forwarded with ssh -N -L PATH:/var/run/docker.sock HOST; such an engine must see the files of this machine',
    );
  if (scheme !== 'tcp')
    throw unusable('it is neither unix:// nor tcp://', 'unix:///path or tcp://host:port with TLS');
  return tcpAddress(rest, env);
}

function tcpAddress(rest: string, env: Variables): EngineAddress {
  const [, bracketed, name, digits] = /^(?:\[([^\]/@]+)\]|([^:/@[\]]+))(?::(\d{1,5}))?\/?$/.exec(rest) ?? [];
  const host = bracketed ?? name;
  if (host === undefined) throw unusable('it is not tcp://host:port', 'tcp://host:port');
  const isSecure = (env['DOCKER_TLS_VERIFY'] ?? '') !== '' || (env['DOCKER_CERT_PATH'] ?? '') !== '';
  if (!isSecure && !isLoopback(host))
    throw unusable(
      'without TLS everybody on the way could read secrets and run programs',
      'it with DOCKER_TLS_VERIFY=1 and DOCKER_CERT_PATH, a directory with ca.pem, cert.pem and key.pem',
    );
  const port = digits === undefined ? (isSecure ? PORTS.tls : PORTS.plain) : Number(digits);
  if (port < 1 || port > 65_535) throw unusable('the port is not between 1 and 65535', 'tcp://host:port');
  const certificates = isSecure ? env['DOCKER_CERT_PATH'] || join(env['HOME'] ?? '/', '.docker') : null;
  return { kind: 'tcp', host, port, certificates };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** The value itself is not repeated: it may hold a password. */
function unusable(why: string, instead: string): PalisadeError {
  return new PalisadeError('invalid_input', `DOCKER_HOST cannot be used: ${why}`, { next: `set ${instead}` });
}

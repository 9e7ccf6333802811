import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { foreignFault, PalisadeError } from '@palisade/contracts';
import { type EgressPolicy, hostOf, vetAddresses } from './egress-policy.ts';

/** Gives every address of a name, IPv4 and IPv6 as text. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** The system's resolver. */
export const systemResolve: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/** Addresses of a host that were judged, and a look-up for sockets that gives exactly these. */
export interface PinnedHost {
  readonly addresses: readonly string[];
  readonly lookup: LookupFunction;
}

/**
 * Resolves a host once and judges every answer. The connection is made to what was judged: a name that
 * answers otherwise the second time (DNS rebinding) is not asked a second time. Raises `policy_denied`,
 * and `upstream_failed` for a name that has no address.
 */
export async function pinHost(url: URL, policy: EgressPolicy, resolve: Resolve): Promise<PinnedHost> {
  const host = hostOf(url);
  const addresses = isIP(host) === 0 ? await answers(url, resolve) : [host];
  vetAddresses(url, addresses, policy);
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return {
    addresses,
    lookup: (_host, options, callback) => {
      if (options.all === true) return callback(null, all);
      const [first = { address: '', family: 0 }] = all;
      callback(null, first.address, first.family);
    },
  };
}

async function answers(url: URL, resolve: Resolve): Promise<readonly string[]> {
  let addresses: readonly string[];
  try {
    addresses = await resolve(hostOf(url));
  } catch (cause) {
    throw new PalisadeError('upstream_failed', `${url.host} has no address`, {
      why: foreignFault(cause),
      cause,
    });
  }
  if (addresses.length === 0) throw new PalisadeError('upstream_failed', `${url.host} has no address`);
  return addresses;
}

import { BlockList, isIP } from 'node:net';

/**
 * How far an address reaches. `local`: this machine or a private network. `forbidden`: nothing of ours
 * has business there, whoever names it: link-local addresses, where clouds hand out credentials, and
 * addresses that are no single host.
 */
export type AddressClass = 'public' | 'local' | 'forbidden';

const LOCAL = blockList(
  ['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'],
  ['::1/128', 'fc00::/7'],
);
const FORBIDDEN = blockList(
  [
    '0.0.0.0/8',
    '169.254.0.0/16',
    '192.0.0.0/24',
    '192.0.2.0/24',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '224.0.0.0/4',
    '240.0.0.0/4',
  ],
  ['::/128', 'fe80::/10', 'ff00::/8', '100::/64', '2001:db8::/32'],
);
/** Prefixes that carry an IPv4 address in their last 32 bits: such an address is what it carries (RFC 4291 §2.5.5, RFC 6052 §2.1). */
const CARRIES_IPV4 = blockList([], ['::ffff:0:0/96', '64:ff9b::/96', '::/96']);

/** The class of an address as text, IPv4 or IPv6 without brackets; null for anything else (IANA special-purpose registries). */
export function addressClass(address: string): AddressClass | null {
  const family = isIP(address);
  if (family === 0) return null;
  if (family === 6 && CARRIES_IPV4.check(address, 'ipv6') && address !== '::1' && address !== '::')
    return addressClass(lastFour(address)) ?? 'forbidden';
  const kind = family === 4 ? 'ipv4' : 'ipv6';
  if (FORBIDDEN.check(address, kind)) return 'forbidden';
  return LOCAL.check(address, kind) ? 'local' : 'public';
}

/** The last 32 bits of an IPv6 address in the form of IPv4. */
function lastFour(address: string): string {
  // The URL parser gives the one form of RFC 5952: no dots, and groups of zeros left out.
  const groups = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::').at(-1)?.split(':') ?? [];
  const [high = '0', low = '0'] = ['0', '0', ...groups]
    .slice(-2)
    .map((group) => (group === '' ? '0' : group));
  const value = Number.parseInt(high, 16) * 65_536 + Number.parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');
}

function blockList(ipv4: readonly string[], ipv6: readonly string[]): BlockList {
  const list = new BlockList();
  const add = (text: string, kind: 'ipv4' | 'ipv6'): void => {
    const [net = '', prefix] = text.split('/');
    list.addSubnet(net, Number(prefix), kind);
  };
  for (const text of ipv4) add(text, 'ipv4');
  for (const text of ipv6) add(text, 'ipv6');
  return list;
}

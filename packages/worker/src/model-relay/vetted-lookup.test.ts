import type { LookupAddress } from 'node:dns';
import { expect, test } from 'vitest';
import { vettedLookup } from './vetted-lookup.ts';

type Looked = { readonly error: string | null; readonly address: unknown };

/** What a connection to the endpoint would be given, when its name has these addresses. */
function look(
  endpoint: { url: string; private?: boolean },
  addresses: readonly string[],
  all: boolean,
): Promise<Looked> {
  const found: LookupAddress[] = addresses.map((address) => ({
    address,
    family: address.includes(':') ? 6 : 4,
  }));
  const resolve = ((
    _name: string,
    _options: object,
    callback: (error: null, list: LookupAddress[]) => void,
  ) => callback(null, found)) as never;
  return new Promise((done) => {
    vettedLookup(endpoint, resolve)('name.example', { all }, (error, address) =>
      done({ error: error?.name ?? null, address }),
    );
  });
}

const https = { url: 'https://models.example/v1' };

test.each([
  ['a public name', https, ['93.184.216.34'], true],
  ['a name that leads into the private network', https, ['10.0.0.7'], false],
  ['a name of which one address is private', https, ['93.184.216.34', '::1'], false],
  ['a private name the operator allowed', { ...https, private: true }, ['10.0.0.7'], true],
  ['localhost, written out', { url: 'http://localhost:8080' }, ['127.0.0.1', '::1'], true],
  [
    'a public address over a clear wire',
    { url: 'http://models.example', private: true },
    ['93.184.216.34'],
    false,
  ],
  ['an address where clouds hand out credentials', { ...https, private: true }, ['169.254.169.254'], false],
  ['the same, dressed as IPv6', { ...https, private: true }, ['::ffff:169.254.169.254'], false],
  ['a name without addresses', https, [], false],
])('%s', async (_what, endpoint, addresses, passes) => {
  for (const all of [true, false]) {
    const { error, address } = await look(endpoint, addresses, all);
    expect(error).toBe(passes ? null : 'AddressRefused');
    if (passes && !all) expect(address).toBe(addresses[0]);
  }
});

import { type LookupAddress, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { addressClass, isWrittenPrivate, type ModelEndpointDefinition } from '@palisade/contracts';

/** An address that the operator's endpoint may not lead to. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
  readonly code = 'EADDRREFUSED';
}

/**
 * A resolver for connections to one endpoint, which refuses a name whose addresses are not what the
 * operator said: private ones without leave, public ones over a clear wire, reserved ones always. All
 * addresses of a name have to pass, and the connection goes to one that was looked at.
 *
 * A host that is written as an address is never resolved; registration has judged it.
 */
export function vettedLookup(
  endpoint: Pick<ModelEndpointDefinition, 'url' | 'private'>,
  resolve: typeof lookup = lookup,
): LookupFunction {
  const mayBeLocal = endpoint.private === true || isWrittenPrivate(endpoint.url);
  const mayBePublic = new URL(endpoint.url).protocol === 'https:';
  const passes = ({ address }: LookupAddress): boolean => {
    const found = addressClass(address);
    return (found === 'local' && mayBeLocal) || (found === 'public' && mayBePublic);
  };
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const refused = addresses?.find((address) => !passes(address));
      const [first] = addresses ?? [];
      if (error !== null) callback(error, '', 0);
      else if (refused !== undefined || first === undefined)
        callback(new AddressRefused('the name leads to an address the endpoint does not allow'), '', 0);
      else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

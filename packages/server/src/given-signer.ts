import { PalisadeError, type Signer } from '@palisade/contracts';
import type { SigningKeys } from '@palisade/runs';

/** The keys of an installation whose signer was given to it: there is one, and it is replaced where it is kept. */
export function givenSigner(signer: Signer): SigningKeys {
  const elsewhere = (): Promise<never> =>
    Promise.reject(
      new PalisadeError('requirements_unmet', `the key ${signer.keyid} is kept elsewhere`, {
        next: 'replace it there, and open this control plane with the new one',
      }),
    );
  return {
    current: async () => signer,
    makeNext: elsewhere,
    adoptNext: elsewhere,
    dropNext: elsewhere,
  };
}

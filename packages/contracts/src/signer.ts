import type { TrustedKey } from './evidence.ts';

/** Signature algorithms of the evidence format. `ecdsa-p256` is DER over SHA-256 (DI-227). */
export type SignatureAlg = TrustedKey['alg'];

/** Something that signs for the installation: a local key, or a key service that never gives its key away. */
export interface Signer {
  /** Public name of the key, as it stands in envelopes and trust roots. */
  readonly keyid: string;
  readonly alg: SignatureAlg;
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKeySpkiDer: Uint8Array;
  /** Signs the bytes themselves; any hashing is the algorithm's own. */
  sign(bytes: Uint8Array): Promise<Uint8Array>;
}

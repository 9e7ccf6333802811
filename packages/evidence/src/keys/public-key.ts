import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { SignatureAlg } from './signer.ts';

/** Reads a public key and insists that it is of the algorithm it is said to be; null otherwise. */
export function readPublicKey(spkiDer: Uint8Array, alg: SignatureAlg): KeyObject | null {
  let key: KeyObject;
  try {
    key = createPublicKey({ key: Buffer.from(spkiDer), format: 'der', type: 'spki' });
  } catch {
    return null;
  }
  if (alg === 'ed25519') return key.asymmetricKeyType === 'ed25519' ? key : null;
  return key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : null;
}

/** True when `signature` is the key's over `bytes`; never throws. */
export function isSignatureOf(
  key: KeyObject,
  alg: SignatureAlg,
  bytes: Uint8Array,
  signature: Uint8Array,
): boolean {
  try {
    return verify(alg === 'ed25519' ? null : 'sha256', bytes, key, signature);
  } catch {
    return false;
  }
}

/** The 32 raw bytes of an Ed25519 public key: the end of its SPKI. */
export function rawEd25519(key: KeyObject): Buffer {
  return key.export({ format: 'der', type: 'spki' }).subarray(-32);
}

import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign as signBytes,
} from 'node:crypto';
import { PalisadeError, sha256Hex, type SignatureAlg, type Signer } from '@palisade/contracts';

export type { SignatureAlg, Signer };

/** A new key pair as DER: PKCS #8 (secret) and SPKI (public). */
export function generateEd25519(): {
  readonly privateKeyPkcs8Der: Buffer;
  readonly publicKeySpkiDer: Buffer;
} {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    privateKeyPkcs8Der: privateKey.export({ format: 'der', type: 'pkcs8' }),
    publicKeySpkiDer: publicKey.export({ format: 'der', type: 'spki' }),
  };
}

/**
 * Signs with an Ed25519 key. Equal bytes give equal signatures (RFC 8032), which is what makes
 * sealing idempotent. Without `keyid` the key is named after its own public half. Raises
 * `invalid_input` for anything but an Ed25519 key, without naming its content.
 */
export function ed25519Signer(privateKeyPkcs8Der: Uint8Array, keyid?: string): Signer {
  const privateKey = parseEd25519(privateKeyPkcs8Der);
  const publicKeySpkiDer = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  return {
    keyid: keyid ?? defaultKeyid('ed25519', publicKeySpkiDer),
    alg: 'ed25519',
    publicKeySpkiDer,
    sign: async (bytes) => signBytes(null, bytes, privateKey),
  };
}

/** `<alg>-` and the first 16 hex digits of the SHA-256 of the public key. */
export function defaultKeyid(alg: SignatureAlg, publicKeySpkiDer: Uint8Array): string {
  return `${alg}-${sha256Hex(publicKeySpkiDer).slice(0, 16)}`;
}

function parseEd25519(der: Uint8Array): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey({ key: Buffer.from(der), format: 'der', type: 'pkcs8' });
  } catch {
    // The library's message may quote the input, so it is not carried on.
    throw new PalisadeError('invalid_input', 'the signing key is not a PKCS #8 private key');
  }
  if (key.asymmetricKeyType !== 'ed25519')
    throw new PalisadeError('invalid_input', 'the signing key is not an Ed25519 key');
  return key;
}

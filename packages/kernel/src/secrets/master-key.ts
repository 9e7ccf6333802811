import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { PalisadeError } from '@palisade/contracts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * The key everything secret is sealed under (EX-200). The 32 bytes never leave this object; sealing and
 * fingerprints use keys derived from it (HKDF-SHA-256, RFC 5869), so that neither can weaken the other.
 * Nothing of it shows in logs, `JSON.stringify` or `util.inspect`.
 */
export class MasterKey {
  /** Names the key without telling anything of it: 16 hex digits of a value derived from it. */
  readonly id: string;
  readonly #sealing: Buffer;
  readonly #fingerprints: Buffer;

  constructor(bytes: Uint8Array) {
    if (bytes.byteLength !== 32) throw new PalisadeError('internal', 'a master key has 32 bytes');
    this.id = derive(bytes, 'palisade/key-id/1').toString('hex', 0, 8);
    this.#sealing = derive(bytes, 'palisade/secret-sealing/1');
    this.#fingerprints = derive(bytes, 'palisade/fingerprint/1');
  }

  /** `nonce‖ciphertext‖tag` of AES-256-GCM. `bound` is authenticated with it: opening needs the same. */
  seal(plaintext: Uint8Array, bound: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#sealing, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(bound, 'utf8'));
    return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
  }

  /** The plaintext, or `secret_undecryptable` when key, binding or bytes are not those of the seal. */
  open(sealed: Uint8Array, bound: string): Buffer {
    try {
      const at = sealed.byteLength - TAG_BYTES;
      const decipher = createDecipheriv('aes-256-gcm', this.#sealing, sealed.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(bound, 'utf8'));
      decipher.setAuthTag(sealed.subarray(at));
      return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, at)), decipher.final()]);
    } catch {
      throw new PalisadeError('secret_undecryptable', `the master key ${this.id} does not open this secret`);
    }
  }

  /**
   * HMAC-SHA-256 as hex: equal values have equal fingerprints, and without the key a fingerprint says
   * nothing, not even to somebody who can guess the value. `purpose` separates uses.
   */
  fingerprint(purpose: string, value: string): string {
    return createHmac('sha256', this.#fingerprints)
      .update(JSON.stringify([purpose, value]))
      .digest('hex');
  }
}

function derive(bytes: Uint8Array, info: string): Buffer {
  return Buffer.from(hkdfSync('sha256', bytes, Buffer.alloc(0), info, 32));
}

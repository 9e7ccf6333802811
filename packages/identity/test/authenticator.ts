import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { NewPasskeyCredential, PasskeyAssertion } from '@palisade/contracts';
import { isoCBOR } from '@simplewebauthn/server/helpers';

/** What a test bends in a ceremony. */
export interface Bent {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  /** Bit 0: presence, bit 2: verification. */
  readonly flags?: number;
  readonly counter?: number;
  readonly crossOrigin?: boolean;
  readonly format?: string;
  readonly algorithm?: number;
  readonly userHandle?: string;
}

const url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
const sha256 = (bytes: Uint8Array | string): Buffer => createHash('sha256').update(bytes).digest();

/** An authenticator as a browser drives it (WebAuthn §6), with a real key. */
export class Authenticator {
  readonly id = url(randomBytes(32));
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #origin: string;

  constructor(origin: string) {
    this.#origin = origin;
  }

  create(options: object, bent: Bent = {}): NewPasskeyCredential {
    const jwk = this.#keys.publicKey.export({ format: 'jwk' });
    const key = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, bent.algorithm ?? -7],
      [-1, 1],
      [-2, bytes(jwk.x)],
      [-3, bytes(jwk.y)],
    ]);
    const id = bytes(this.id);
    const attested = Buffer.concat([
      Buffer.alloc(16),
      Buffer.from([0, id.byteLength]),
      id,
      isoCBOR.encode(key),
    ]);
    const authData = Buffer.concat([this.#authData({ flags: 0x45, ...bent }), attested]);
    const attestation = new Map<string, string | Uint8Array | Map<string, Uint8Array[]>>([
      ['fmt', bent.format ?? 'none'],
      ['attStmt', bent.format === undefined ? new Map() : new Map([['x5c', [new Uint8Array(8)]]])],
      ['authData', new Uint8Array(authData)],
    ]);
    return {
      id: this.id,
      response: {
        clientDataJSON: this.#clientData('webauthn.create', options, bent),
        attestationObject: url(isoCBOR.encode(attestation)),
      },
    };
  }

  sign(options: object, bent: Bent = {}): PasskeyAssertion {
    const clientDataJSON = this.#clientData('webauthn.get', options, bent);
    const authData = this.#authData({ flags: 0x05, ...bent });
    const signed = Buffer.concat([authData, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
    return {
      id: this.id,
      response: {
        clientDataJSON,
        authenticatorData: url(authData),
        signature: url(sign('sha256', signed, this.#keys.privateKey)),
        ...(bent.userHandle === undefined ? {} : { userHandle: url(Buffer.from(bent.userHandle)) }),
      },
    };
  }

  #authData({ rpId = new URL(this.#origin).hostname, flags = 0, counter = 0 }: Bent): Buffer {
    const rest = Buffer.alloc(5);
    rest.writeUInt8(flags, 0);
    rest.writeUInt32BE(counter, 1);
    return Buffer.concat([sha256(rpId), rest]);
  }

  #clientData(
    type: string,
    options: object,
    { origin = this.#origin, challenge, crossOrigin }: Bent,
  ): string {
    const asked = (options as { challenge: string }).challenge;
    const data = {
      type,
      challenge: challenge ?? asked,
      origin,
      ...(crossOrigin === undefined ? {} : { crossOrigin }),
    };
    return url(Buffer.from(JSON.stringify(data)));
  }
}

function bytes(base64url: string | undefined): Uint8Array {
  return Uint8Array.from(Buffer.from(base64url ?? '', 'base64url'));
}

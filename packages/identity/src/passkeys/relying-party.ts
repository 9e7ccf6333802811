import { isIP } from 'node:net';
import { type NewPasskeyCredential, PalisadeError, type PasskeyAssertion } from '@palisade/contracts';
import type { Passkey } from './passkey-store.ts';

/** ES256 and nothing else (AC-047). */
const ALGORITHMS = [-7];
const CHALLENGE_MS = 300_000;

/** Whom a new passkey is for. */
export interface PasskeyOwner {
  readonly id: string;
  readonly name: string;
}

/**
 * The server's part of the WebAuthn ceremonies, for one public origin: its host is the relying party, and every ceremony must have
 * happened in a page of exactly this origin. The library is loaded at the first ceremony.
 */
export class RelyingParty {
  readonly #origin: string;
  readonly #id: string;

  private constructor({ origin, hostname }: URL) {
    this.#origin = origin;
    this.#id = hostname;
  }

  /** Null for an origin that is an address: no browser makes passkeys for one (WebAuthn §5.1.2, effective domain). */
  static of(publicOrigin: string): RelyingParty | null {
    const url = new URL(publicOrigin);
    return isIP(url.hostname.replaceAll(/[[\]]/g, '')) === 0 ? new RelyingParty(url) : null;
  }

  /** What a browser needs to make a passkey: user presence and verification, no attestation. */
  async creation({ id, name }: PasskeyOwner, known: readonly Passkey[]): Promise<Options> {
    const { generateRegistrationOptions } = await import('@simplewebauthn/server');
    return generateRegistrationOptions({
      rpName: 'Palisade',
      rpID: this.#id,
      userName: name,
      userID: new TextEncoder().encode(id),
      timeout: CHALLENGE_MS,
      attestationType: 'none',
      excludeCredentials: known.map(({ credentialId }) => ({ id: credentialId })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      supportedAlgorithmIDs: ALGORITHMS,
    });
  }

  /** What a browser needs to sign in; it names no passkey, so it tells nobody who has one. */
  async request(): Promise<Options> {
    const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
    return generateAuthenticationOptions({
      rpID: this.#id,
      timeout: CHALLENGE_MS,
      userVerification: 'required',
    });
  }

  /** The passkey that was made, or null when anything about it is wrong. */
  async created(
    credential: NewPasskeyCredential,
    challenge: string,
  ): Promise<Pick<Passkey, 'credentialId' | 'publicKey' | 'counter'> | null> {
    try {
      if (isCrossOrigin(credential.response.clientDataJSON)) return null;
      await assertUnattested(credential.response.attestationObject);
      const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
      const { registrationInfo } = await verifyRegistrationResponse({
        response: {
          id: credential.id,
          rawId: credential.id,
          type: 'public-key',
          clientExtensionResults: {},
          response: credential.response,
        },
        expectedChallenge: challenge,
        expectedOrigin: this.#origin,
        expectedRPID: this.#id,
        requireUserVerification: true,
        supportedAlgorithmIDs: ALGORITHMS,
      });
      if (registrationInfo === undefined) return null;
      const { id, publicKey, counter } = registrationInfo.credential;
      // The id that the browser told is a copy of the one that the authenticator signed for.
      if (id !== credential.id) return null;
      return { credentialId: id, publicKey: Buffer.from(publicKey).toString('base64url'), counter };
    } catch {
      return null;
    }
  }

  /** How far the authenticator has counted, or null when anything about what it signed is wrong (AC-047). */
  async signed(assertion: PasskeyAssertion, challenge: string, passkey: Passkey): Promise<number | null> {
    try {
      const { clientDataJSON, authenticatorData, signature, userHandle } = assertion.response;
      if (isCrossOrigin(clientDataJSON)) return null;
      if (
        typeof userHandle === 'string' &&
        Buffer.from(userHandle, 'base64url').toString() !== passkey.principal
      )
        return null;
      const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response: {
          id: assertion.id,
          rawId: assertion.id,
          type: 'public-key',
          clientExtensionResults: {},
          response: { clientDataJSON, authenticatorData, signature },
        },
        expectedChallenge: challenge,
        expectedOrigin: this.#origin,
        expectedRPID: this.#id,
        requireUserVerification: true,
        credential: {
          id: passkey.credentialId,
          publicKey: Uint8Array.from(Buffer.from(passkey.publicKey, 'base64url')),
          counter: passkey.counter,
        },
      });
      return verified ? authenticationInfo.newCounter : null;
    } catch {
      return null;
    }
  }
}

/** WebAuthn options as JSON; `challenge` is what is signed. */
type Options = { readonly challenge: string } & object;

/** A page in a frame of another origin is not where people sign in. */
function isCrossOrigin(clientDataJSON: string): boolean {
  const { crossOrigin } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as {
    crossOrigin?: unknown;
  };
  return crossOrigin !== undefined && crossOrigin !== false;
}

/**
 * No attestation was asked for. One with certificates is refused before it is looked at: to check them the library would ask
 * addresses that they name.
 */
async function assertUnattested(attestationObject: string): Promise<void> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  const decoded = decodeAttestationObject(Uint8Array.from(Buffer.from(attestationObject, 'base64url')));
  const format = decoded.get('fmt');
  if (format === 'none' || (format === 'packed' && decoded.get('attStmt').get('x5c') === undefined)) return;
  throw new PalisadeError('invalid_input', 'the passkey comes with an attestation');
}

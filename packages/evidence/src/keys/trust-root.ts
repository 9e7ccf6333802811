import { type KeyUse, parseInput, PalisadeError, TrustRoot } from '@palisade/contracts';
import { readPublicKey } from './public-key.ts';
import type { SignatureAlg } from './signer.ts';

/** A public key as an installation hands it out. Times are Unix ms. */
export interface PublishedKey {
  readonly keyid: string;
  readonly alg: SignatureAlg;
  readonly publicKeySpkiDer: Uint8Array;
  /** Defaults to both uses; an `ecdsa-p256` key signs seals only. */
  readonly uses?: readonly KeyUse[];
  readonly notBefore: number;
  /** End of the key's period (exclusive); absent while it is in use. */
  readonly notAfter?: number;
  /** When the key was declared compromised. */
  readonly revokedAt?: number;
}

/**
 * The trust root an installation hands to its auditors (DI-252): the log's name and every key it
 * ever used with its period, so that evidence made before a rotation stays verifiable (FF-142).
 * `invalid_input` for a name used twice, an unreadable key, or a log key that is not Ed25519.
 */
export function trustRootFrom(logOrigin: string, keys: readonly PublishedKey[]): TrustRoot {
  const entries: Record<string, unknown> = Object.create(null);
  for (const key of keys) {
    if (Object.hasOwn(entries, key.keyid))
      throw new PalisadeError('invalid_input', `key "${key.keyid}" is named twice`);
    if (readPublicKey(key.publicKeySpkiDer, key.alg) === null)
      throw new PalisadeError('invalid_input', `key "${key.keyid}" is not a public key of ${key.alg}`);
    const uses = key.uses ?? (key.alg === 'ed25519' ? ['seal', 'log'] : ['seal']);
    if (uses.includes('log') && key.alg !== 'ed25519')
      throw new PalisadeError(
        'invalid_input',
        `key "${key.keyid}" cannot sign checkpoints: it is not Ed25519`,
      );
    entries[key.keyid] = {
      alg: key.alg,
      spki_der: Buffer.from(key.publicKeySpkiDer).toString('base64'),
      uses: [...uses],
      status: key.revokedAt === undefined ? 'active' : 'revoked',
      not_before: iso(key.notBefore),
      ...(key.notAfter === undefined ? {} : { not_after: iso(key.notAfter) }),
      ...(key.revokedAt === undefined ? {} : { revoked_at: iso(key.revokedAt) }),
    };
  }
  return parseInput(
    TrustRoot,
    { schema_version: 1, log_origin: logOrigin, keys: { ...entries } },
    'trust root',
  );
}

/** Reads a trust root an auditor supplies, strictly; `evidence_invalid` with every problem. */
export function parseTrustRoot(bytes: Uint8Array): TrustRoot {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new PalisadeError('evidence_invalid', 'the trust root is not JSON', { cause });
  }
  return parseInput(TrustRoot, value, 'the trust root', 'evidence_invalid');
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

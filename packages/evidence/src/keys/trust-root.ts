import { type ErrorCode, type KeyUse, parseInput, PalisadeError, TrustRoot } from '@palisade/contracts';
import { NOTE_KEY_TYPE } from '../log/signed-note.ts';
import { Certificate } from '../time/certificate.ts';
import { parseVerifierKey, type VerifierKey } from '../witness/verifier-key.ts';
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
export function trustRootFrom(
  logOrigin: string,
  keys: readonly PublishedKey[],
  others: Pick<TrustRoot, 'witnesses' | 'timestamps'> = {},
): TrustRoot {
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
  const value = { schema_version: 1, log_origin: logOrigin, keys: { ...entries }, ...others };
  return usable(parseInput(TrustRoot, value, 'trust root'), 'invalid_input');
}

/** Reads a trust root an auditor supplies, strictly; `evidence_invalid` with every problem. */
export function parseTrustRoot(bytes: Uint8Array): TrustRoot {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new PalisadeError('evidence_invalid', 'the trust root is not JSON', { cause });
  }
  return usable(parseInput(TrustRoot, value, 'the trust root', 'evidence_invalid'), 'evidence_invalid');
}

/**
 * Refuses what would weaken a trust root unnoticed: a witness that counts twice because its key stands there
 * under two names (a cosignature does not bind the name), one that is the installation itself, more witnesses
 * asked for than there are, and certificates that cannot be read.
 */
function usable(root: TrustRoot, code: ErrorCode): TrustRoot {
  const refuse = (what: string): never => {
    throw new PalisadeError(code, `the trust root ${what}`);
  };
  const own = new Set(Object.values(root.keys).map(({ spki_der }) => spki_der));
  const names = new Set<string>();
  for (const text of root.witnesses?.keys ?? []) {
    const witness = witnessKey(text);
    if (witness === null) return refuse(`has a witness key that is none: ${text.split('+')[0]}`);
    const spki = witness.key.export({ format: 'der', type: 'spki' }).toString('base64');
    if (own.has(spki)) refuse(`has the key of witness ${witness.name} twice, or as one of its own`);
    own.add(spki);
    names.add(witness.name);
  }
  if (root.witnesses !== undefined && root.witnesses.needed > names.size)
    refuse(`asks for ${root.witnesses.needed} witnesses and names ${names.size}`);
  for (const [index, text] of (root.timestamps?.authorities ?? []).entries())
    if (!isCertificate(text))
      refuse(`has a timestamp authority that is no usable certificate: number ${index}`);
  return root;
}

function witnessKey(text: string): VerifierKey | null {
  try {
    const key = parseVerifierKey(text);
    return key.type === NOTE_KEY_TYPE.cosignature ? key : null;
  } catch {
    return null;
  }
}

function isCertificate(base64: string): boolean {
  try {
    return new Certificate(Buffer.from(base64, 'base64')).x509.raw.length > 0;
  } catch {
    return false;
  }
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

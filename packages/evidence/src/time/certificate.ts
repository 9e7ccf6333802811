import { type KeyObject, X509Certificate } from 'node:crypto';
import { readAlgorithm, SIGNATURES } from './algorithms.ts';
import { context, DerReader, malformed, readDer, readInteger, readOid, TAG } from './der.ts';

const WHAT = 'certificate';
const EXTENSION = {
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  basicConstraints: '2.5.29.19',
  extendedKeyUsage: '2.5.29.37',
} as const;
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';
const ANY_USAGE = '2.5.29.37.0';
const UNDERSTOOD: ReadonlySet<string> = new Set([
  EXTENSION.keyUsage,
  EXTENSION.basicConstraints,
  EXTENSION.extendedKeyUsage,
]);
/** Bits of KeyUsage in its first byte (RFC 5280 §4.2.1.3). */
const USAGE = { digitalSignature: 0x80, nonRepudiation: 0x40, keyCertSign: 0x04 };
/** RSA keys below this are refused. */
const RSA_BITS = 2_048;
const CURVES: ReadonlySet<string> = new Set(['prime256v1', 'secp384r1', 'secp521r1']);

/** A certificate of a timestamp's chain, with the extensions that a chain is judged by (RFC 5280). */
export class Certificate {
  readonly x509: X509Certificate;
  readonly key: KeyObject;
  readonly #extensions: ReadonlyMap<string, { readonly isCritical: boolean; readonly value: Buffer }>;
  readonly #issuer: Buffer;
  readonly #serial: string;

  /** Raises `evidence_invalid` for bytes that are no certificate, or one signed by an algorithm that is not accepted. */
  constructor(bytes: Uint8Array) {
    try {
      this.x509 = new X509Certificate(bytes);
      // Its key may be malformed although the rest is not.
      this.key = this.x509.publicKey;
    } catch {
      throw malformed(WHAT);
    }
    // The parser above takes PEM too, also amid other bytes: what it read must be what is read below.
    if (!this.x509.raw.equals(bytes)) throw malformed(WHAT);
    const whole = new DerReader(readDer(bytes, TAG.sequence, WHAT).content, WHAT);
    const body = whole.inside(TAG.sequence);
    if (SIGNATURES[readAlgorithm(whole, WHAT)]?.digest == null)
      throw malformed(`${WHAT}: signed by an algorithm that is not accepted`);
    whole.take(TAG.bitString); // signature
    whole.end();
    body.optional(context(0)); // version
    this.#serial = readInteger(body.take(), WHAT);
    body.take(TAG.sequence); // signature algorithm, repeated outside
    this.#issuer = body.take(TAG.sequence).raw;
    body.take(TAG.sequence); // validity
    body.take(TAG.sequence); // subject
    body.take(TAG.sequence); // key
    body.optional(context(1, false));
    body.optional(context(2, false));
    const extensions = body.optional(context(3));
    body.end();
    this.#extensions = extensions === null ? new Map() : readExtensions(extensions.content);
  }

  isNamed(issuer: Buffer, serial: string): boolean {
    return this.#issuer.equals(issuer) && this.#serial === serial;
  }

  hasKeyId(id: Buffer): boolean {
    const value = this.#extensions.get(EXTENSION.subjectKeyId)?.value;
    return value !== undefined && readDer(value, TAG.octetString, WHAT).content.equals(id);
  }

  /** Why it may not take part at a time (Unix ms), whatever its place in the chain; null when it may. */
  problemAt(time: number): string | null {
    const { validFromDate, validToDate } = this.x509;
    if (!(time >= validFromDate.getTime())) return 'was not valid yet';
    if (!(time <= validToDate.getTime())) return 'was not valid any more';
    const { asymmetricKeyType: kind, asymmetricKeyDetails: details } = this.key;
    const isStrong =
      kind === 'rsa' ? (details?.modulusLength ?? 0) >= RSA_BITS : CURVES.has(details?.namedCurve ?? '');
    if (!isStrong) return 'has a key that is not accepted';
    for (const [oid, { isCritical }] of this.#extensions)
      if (isCritical && !UNDERSTOOD.has(oid))
        return `has the critical extension ${oid}, which is not understood`;
    return null;
  }

  /** Why it may not sign timestamps: its one purpose must be that, critically (RFC 3161 §2.3). */
  stampingProblem(): string | null {
    const purposes = this.#purposes();
    if (purposes === null) return 'has no extended key usage';
    if (this.#extensions.get(EXTENSION.extendedKeyUsage)?.isCritical !== true)
      return 'has an extended key usage that is not critical';
    if (purposes.length !== 1 || purposes[0] !== TIME_STAMPING) return 'is not for timestamping alone';
    const usage = this.#usage();
    return usage === null || (usage & (USAGE.digitalSignature | USAGE.nonRepudiation)) !== 0
      ? null
      : 'has a key usage without signatures';
  }

  /** Why it may not issue a certificate that has `below` issuers beneath it, or null. */
  issuingProblem(below: number): string | null {
    const constraints = this.#extensions.get(EXTENSION.basicConstraints);
    if (constraints === undefined) return 'is no certification authority';
    const reader = new DerReader(readDer(constraints.value, TAG.sequence, WHAT).content, WHAT);
    const authority = reader.optional(TAG.boolean);
    const length = reader.next === null ? null : Number.parseInt(readInteger(reader.take(), WHAT), 16);
    reader.end();
    if (authority?.content.equals(Buffer.from([0xff])) !== true) return 'is no certification authority';
    if (length !== null && below > length) return 'has too long a chain beneath it';
    const usage = this.#usage();
    if (usage !== null && (usage & USAGE.keyCertSign) === 0) return 'may not sign certificates';
    const purposes = this.#purposes();
    return purposes === null || purposes.includes(TIME_STAMPING) || purposes.includes(ANY_USAGE)
      ? null
      : 'may not issue for timestamping';
  }

  /** True when `issuer` could have issued this certificate by names and key identifiers; cheap. */
  namesIssuer(issuer: Certificate): boolean {
    return this.x509.checkIssued(issuer.x509);
  }

  /** True when this certificate is signed by `issuer`'s key. */
  isSignedBy(issuer: Certificate): boolean {
    try {
      return this.x509.verify(issuer.key);
    } catch {
      return false;
    }
  }

  #purposes(): string[] | null {
    const extension = this.#extensions.get(EXTENSION.extendedKeyUsage);
    if (extension === undefined) return null;
    const list = new DerReader(readDer(extension.value, TAG.sequence, WHAT).content, WHAT);
    return list.rest(TAG.oid).map((purpose) => readOid(purpose, WHAT));
  }

  #usage(): number | null {
    const extension = this.#extensions.get(EXTENSION.keyUsage);
    if (extension === undefined) return null;
    return readDer(extension.value, TAG.bitString, WHAT).content[1] ?? 0;
  }
}

function readExtensions(content: Buffer) {
  const found = new Map<string, { readonly isCritical: boolean; readonly value: Buffer }>();
  const list = new DerReader(readDer(content, TAG.sequence, WHAT).content, WHAT);
  for (const { content: bytes } of list.rest(TAG.sequence)) {
    const extension = new DerReader(bytes, WHAT);
    const oid = readOid(extension.take(), WHAT);
    const critical = extension.optional(TAG.boolean);
    const value = extension.take(TAG.octetString).content;
    extension.end();
    if (found.has(oid)) throw malformed(`${WHAT}: a repeated extension`);
    found.set(oid, { isCritical: critical !== null && critical.content[0] !== 0, value });
  }
  return found;
}

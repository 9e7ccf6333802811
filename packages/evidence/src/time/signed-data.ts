import { type Digest, DIGESTS, readAlgorithm, SIGNATURES, type SignatureKind } from './algorithms.ts';
import { context, type Der, DerReader, malformed, readDer, readInteger, readOid, TAG } from './der.ts';

const WHAT = 'timestamp token';
const SIGNED_DATA = '1.2.840.113549.1.7.2';
const TST_INFO = '1.2.840.113549.1.9.16.1.4';
/** Certificates that a token may carry. */
const MAX_CERTIFICATES = 32;

/** The signer's certificate by issuer and serial number, or by its key's identifier (RFC 5652 §5.3). */
export type SignerId =
  | { readonly issuer: Buffer; readonly serial: string }
  | { readonly subjectKeyId: Buffer };

/** A timestamp token taken apart (RFC 5652 §5.1, RFC 3161 §2.4.2). Nothing of it is verified yet. */
export interface SignedData {
  /** DER of the TSTInfo. */
  readonly content: Buffer;
  /** DER of each certificate the token brings. */
  readonly certificates: readonly Buffer[];
  readonly signer: {
    readonly id: SignerId;
    readonly digest: Digest;
    readonly signature: SignatureKind & { readonly bytes: Buffer };
    /** Null when the signature covers the content itself. */
    readonly attributes: SignedAttributes | null;
  };
}

/** Signed attributes: each type with its one value, and the bytes the signature covers. */
export interface SignedAttributes {
  readonly values: ReadonlyMap<string, Der>;
  readonly signedBytes: Buffer;
}

/** Reads a DER ContentInfo that holds SignedData over a TSTInfo with exactly one signer. Raises `evidence_invalid`. */
export function readSignedData(token: Uint8Array): SignedData {
  const info = new DerReader(readDer(token, TAG.sequence, WHAT).content, WHAT);
  if (readOid(info.take(), WHAT) !== SIGNED_DATA) throw malformed(`${WHAT}: not signed data`);
  const explicit = info.inside(context(0));
  info.end();
  const data = explicit.inside(TAG.sequence);
  explicit.end();
  data.take(TAG.integer); // version
  data.take(TAG.set); // digest algorithms, repeated at the signer
  const encapsulated = data.inside(TAG.sequence);
  if (readOid(encapsulated.take(), WHAT) !== TST_INFO) throw malformed(`${WHAT}: not over a timestamp`);
  const wrapped = encapsulated.inside(context(0));
  encapsulated.end();
  const content = wrapped.take(TAG.octetString).content;
  wrapped.end();
  const certificates = data.optional(context(0));
  data.optional(context(1)); // revocation lists: not used, a chain is judged at the time of the timestamp
  const signers = data.inside(TAG.set).rest(TAG.sequence);
  data.end();
  const [signer, ...others] = signers;
  if (signer === undefined || others.length > 0) throw malformed(`${WHAT}: not exactly one signer`);
  return {
    content,
    certificates: certificates === null ? [] : readCertificates(certificates.content),
    signer: readSigner(signer.content),
  };
}

function readCertificates(content: Buffer): Buffer[] {
  const all = new DerReader(content, WHAT).rest();
  if (all.length > MAX_CERTIFICATES) throw malformed(`${WHAT}: more than ${MAX_CERTIFICATES} certificates`);
  // Attribute certificates and other formats have tags of their own and no use here.
  return all.filter(({ tag }) => tag === TAG.sequence).map(({ raw }) => raw);
}

function readSigner(content: Buffer): SignedData['signer'] {
  const signer = new DerReader(content, WHAT);
  signer.take(TAG.integer); // version
  const id = readSignerId(signer);
  const digest = DIGESTS[readAlgorithm(signer, WHAT)];
  const attributes = signer.optional(context(0));
  const kind = SIGNATURES[readAlgorithm(signer, WHAT)];
  const bytes = signer.take(TAG.octetString).content;
  signer.optional(context(1)); // unsigned attributes prove nothing
  signer.end();
  if (digest === undefined || kind === undefined)
    throw malformed(`${WHAT}: an algorithm that is not accepted`);
  if (kind.digest !== null && kind.digest !== digest) throw malformed(`${WHAT}: two different hashes`);
  return {
    id,
    digest,
    signature: { ...kind, bytes },
    attributes: attributes === null ? null : readAttributes(attributes),
  };
}

function readSignerId(signer: DerReader): SignerId {
  const subjectKeyId = signer.optional(context(0, false));
  if (subjectKeyId !== null) return { subjectKeyId: subjectKeyId.content };
  const name = signer.inside(TAG.sequence);
  const issuer = name.take(TAG.sequence).raw;
  const serial = readInteger(name.take(), WHAT);
  name.end();
  return { issuer, serial };
}

function readAttributes({ raw, content }: Der): SignedAttributes {
  const values = new Map<string, Der>();
  for (const { content: attribute } of new DerReader(content, WHAT).rest(TAG.sequence)) {
    const reader = new DerReader(attribute, WHAT);
    const type = readOid(reader.take(), WHAT);
    const set = reader.inside(TAG.set);
    const value = set.take();
    set.end();
    reader.end();
    if (values.has(type)) throw malformed(`${WHAT}: a repeated attribute`);
    values.set(type, value);
  }
  // The signature covers the attributes as a SET, whatever tag they are sent under (RFC 5652 §5.4).
  const signedBytes = Buffer.from(raw);
  signedBytes[0] = TAG.set;
  return { values, signedBytes };
}

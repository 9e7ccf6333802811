import { hash, type KeyObject, verify } from 'node:crypto';
import { isPalisadeError } from '@palisade/contracts';
import { type Digest, DIGESTS } from './algorithms.ts';
import { Certificate } from './certificate.ts';
import { chainProblem } from './certificate-chain.ts';
import { DerReader, malformed, readDer, readOid, TAG } from './der.ts';
import { readSignedData, type SignedAttributes, type SignedData } from './signed-data.ts';
import { readTstInfo, type TstInfo } from './tst-info.ts';

const ATTRIBUTE = {
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingCertificate: '1.2.840.113549.1.9.16.2.12',
  signingCertificateV2: '1.2.840.113549.1.9.16.2.47',
} as const;
const TST_INFO = '1.2.840.113549.1.9.16.1.4';

/** A time that an authority of the trust root attested, or why there is none. */
export type AttestedTime =
  | { readonly at: number; readonly by: string; readonly nonce: string | undefined }
  | { readonly problem: string };

/**
 * Verifies an RFC 3161 TimeStampToken over `message` (DI-251): the imprint is its SHA-256, the signature is
 * by a certificate for timestamping alone whose chain ends in one of `authorities` (DER), and every
 * certificate of the chain was valid at the time stated. Never throws: what cannot be read is a problem.
 */
export function verifyTimestamp(
  token: Uint8Array,
  message: Uint8Array,
  authorities: readonly Uint8Array[],
): AttestedTime {
  try {
    return judge(token, message, authorities);
  } catch (error) {
    if (isPalisadeError(error, 'evidence_invalid')) return { problem: error.message };
    throw error;
  }
}

/** The time and nonce a token states, unverified. Raises `evidence_invalid`. */
export function readTimestamp(token: Uint8Array): TstInfo {
  return readTstInfo(readSignedData(token).content);
}

function judge(token: Uint8Array, message: Uint8Array, authorities: readonly Uint8Array[]): AttestedTime {
  const data = readSignedData(token);
  const info = readTstInfo(data.content);
  if (DIGESTS[info.hash] !== 'sha256' || !info.imprint.equals(hash('sha256', message, 'buffer')))
    return { problem: 'the timestamp is of something else' };
  const trusted = authorities.map((bytes) => new Certificate(bytes));
  // One that cannot be read is no part of any chain.
  const brought = data.certificates.flatMap((bytes) => readable(bytes) ?? []);
  const signer = signerOf(data, [...brought, ...trusted]);
  if (signer === undefined) return { problem: "the signer's certificate is not there" };
  const problem = signatureProblem(data, signer) ?? chainProblem(signer, brought, trusted, info.genTime);
  if (problem !== null) return { problem };
  return { at: info.genTime, by: nameOf(signer), nonce: info.nonce };
}

function readable(bytes: Buffer): Certificate | null {
  try {
    return new Certificate(bytes);
  } catch (error) {
    if (isPalisadeError(error, 'evidence_invalid')) return null;
    throw error;
  }
}

function signerOf({ signer: { id } }: SignedData, known: readonly Certificate[]): Certificate | undefined {
  return known.find((certificate) =>
    'subjectKeyId' in id ? certificate.hasKeyId(id.subjectKeyId) : certificate.isNamed(id.issuer, id.serial),
  );
}

function signatureProblem({ content, signer }: SignedData, certificate: Certificate): string | null {
  const { digest, signature, attributes } = signer;
  const { key } = certificate;
  if (key.asymmetricKeyType !== signature.key) return "the signer's key is of another kind";
  if (attributes !== null) {
    const problem = attributesProblem(attributes, hash(digest, content, 'buffer'), certificate);
    if (problem !== null) return problem;
  }
  return isSigned(digest, attributes?.signedBytes ?? content, key, signature.bytes)
    ? null
    : "the timestamp's signature is wrong";
}

function isSigned(digest: Digest, bytes: Buffer, key: KeyObject, signature: Buffer): boolean {
  try {
    return verify(digest, bytes, key, signature);
  } catch {
    return false;
  }
}

/** Signed attributes bind the content by hash and type (RFC 5652 §5.3), and the certificate by hash (RFC 5816). */
function attributesProblem(
  { values }: SignedAttributes,
  digest: Buffer,
  certificate: Certificate,
): string | null {
  const type = values.get(ATTRIBUTE.contentType);
  if (type === undefined || readOid(type, 'timestamp token') !== TST_INFO)
    return 'the signed content type is not that of a timestamp';
  const said = values.get(ATTRIBUTE.messageDigest);
  if (said?.tag !== TAG.octetString || !said.content.equals(digest))
    return 'the signed hash is not that of the content';
  for (const [attribute, fallback] of [
    [ATTRIBUTE.signingCertificateV2, 'sha256'],
    [ATTRIBUTE.signingCertificate, 'sha1'],
  ] as const) {
    const value = values.get(attribute);
    if (value !== undefined && !namesCertificate(value.raw, fallback, certificate.x509.raw))
      return "the signed certificate is not the signer's";
  }
  return null;
}

/** True when the first ESSCertID or ESSCertIDv2 is of this certificate. */
function namesCertificate(attribute: Buffer, fallback: 'sha1' | 'sha256', certificate: Buffer): boolean {
  const what = 'signing certificate';
  const outer = new DerReader(readDer(attribute, TAG.sequence, what).content, what);
  const id = outer.inside(TAG.sequence).inside(TAG.sequence);
  const algorithm = fallback === 'sha256' ? id.optional(TAG.sequence) : null;
  const digest =
    algorithm === null ? fallback : DIGESTS[readOid(new DerReader(algorithm.content, what).take(), what)];
  if (digest === undefined) throw malformed(what);
  return id.take(TAG.octetString).content.equals(hash(digest, certificate, 'buffer'));
}

/** The name of a certificate's subject on one line, its common name where it has one. */
function nameOf({ x509 }: Certificate): string {
  const parts = x509.subject.split('\n');
  return parts.findLast((part) => part.startsWith('CN='))?.slice(3) ?? parts.join(', ');
}

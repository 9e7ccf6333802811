import { malformed, readOid, TAG, type DerReader } from './der.ts';

/** Hashes that timestamps may use. SHA-1 and MD5 are not among them. */
export const DIGESTS: Readonly<Record<string, 'sha256' | 'sha384' | 'sha512'>> = {
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};
export type Digest = (typeof DIGESTS)[string];

/** A signature algorithm: the kind of key, and the hash when the identifier names one. */
export interface SignatureKind {
  readonly key: 'rsa' | 'ec';
  readonly digest: Digest | null;
}

/** Signature algorithms of timestamps and their certificates; plain `rsaEncryption` takes the hash named beside it (RFC 3370, RFC 5754). */
export const SIGNATURES: Readonly<Record<string, SignatureKind>> = {
  '1.2.840.113549.1.1.1': { key: 'rsa', digest: null },
  '1.2.840.113549.1.1.11': { key: 'rsa', digest: 'sha256' },
  '1.2.840.113549.1.1.12': { key: 'rsa', digest: 'sha384' },
  '1.2.840.113549.1.1.13': { key: 'rsa', digest: 'sha512' },
  '1.2.840.10045.4.3.2': { key: 'ec', digest: 'sha256' },
  '1.2.840.10045.4.3.3': { key: 'ec', digest: 'sha384' },
  '1.2.840.10045.4.3.4': { key: 'ec', digest: 'sha512' },
};

/** Reads an AlgorithmIdentifier whose parameters are absent or NULL, and gives its object identifier. */
export function readAlgorithm(reader: DerReader, what: string): string {
  const algorithm = reader.inside(TAG.sequence);
  const oid = readOid(algorithm.take(), what);
  const parameters = algorithm.optional(TAG.null);
  if (parameters !== null && parameters.content.length > 0) throw malformed(what);
  algorithm.end();
  return oid;
}

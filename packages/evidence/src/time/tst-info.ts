import { readAlgorithm } from './algorithms.ts';
import {
  context,
  DerReader,
  malformed,
  readDer,
  readGeneralizedTime,
  readInteger,
  readOid,
  TAG,
} from './der.ts';

/** What a timestamp says (RFC 3161 §2.4.2). */
export interface TstInfo {
  /** Hash algorithm of the imprint, object identifier. */
  readonly hash: string;
  readonly imprint: Buffer;
  /** Unix ms. */
  readonly genTime: number;
  /** Lower-case hex; absent when the request had none. */
  readonly nonce: string | undefined;
}

const WHAT = 'timestamp content';

/** Reads a DER TSTInfo, version 1, without critical extensions. Raises `evidence_invalid`. */
export function readTstInfo(bytes: Uint8Array): TstInfo {
  const info = new DerReader(readDer(bytes, TAG.sequence, WHAT).content, WHAT);
  if (readInteger(info.take(), WHAT) !== '1') throw malformed(WHAT);
  readOid(info.take(), WHAT); // policy
  const messageImprint = info.inside(TAG.sequence);
  const hash = readAlgorithm(messageImprint, WHAT);
  const imprint = messageImprint.take(TAG.octetString).content;
  messageImprint.end();
  readInteger(info.take(), WHAT); // serial number
  const genTime = readGeneralizedTime(info.take(), WHAT);
  info.optional(TAG.sequence); // accuracy
  const ordering = info.optional(TAG.boolean);
  if (ordering !== null && !ordering.content.equals(Buffer.from([0xff]))) throw malformed(WHAT);
  const nonce = info.next === TAG.integer ? readInteger(info.take(), WHAT) : undefined;
  info.optional(context(0)); // the authority's name
  const extensions = info.optional(context(1));
  // Nothing critical is known here, and what is critical and unknown must be refused.
  if (extensions !== null && hasCritical(extensions.content))
    throw malformed(`${WHAT}: a critical extension`);
  info.end();
  return { hash, imprint, genTime, nonce };
}

function hasCritical(extensions: Buffer): boolean {
  return new DerReader(extensions, WHAT).rest(TAG.sequence).some(({ content }) => {
    const extension = new DerReader(content, WHAT);
    extension.take(TAG.oid);
    return extension.optional(TAG.boolean) !== null;
  });
}

import { PalisadeError } from '@palisade/contracts';
import { sha256 } from '../merkle/merkle-hash.ts';
import { der, derOid, DerReader, malformed, readDer, readInteger, TAG } from './der.ts';
import { readTimestamp } from './timestamp-token.ts';

/** Media types of RFC 3161 over HTTP (§3.4). */
export const TIMESTAMP_QUERY = 'application/timestamp-query';
export const TIMESTAMP_REPLY = 'application/timestamp-reply';
const SHA256 = '2.16.840.1.101.3.4.2.1';
const WHAT = 'timestamp reply';
/** PKIStatus: `granted` and `grantedWithMods`; anything above refuses (RFC 3161 §2.4.2). */
const GRANTED = new Set(['0', '1']);

/** A DER TimeStampReq for a message: its SHA-256, a nonce (the bytes of a positive integer) and the wish for certificates. */
export function timestampQuery(message: Uint8Array, nonce: Uint8Array): Buffer {
  const algorithm = der(TAG.sequence, derOid(SHA256), der(TAG.null));
  return der(
    TAG.sequence,
    der(TAG.integer, Buffer.from([1])),
    der(TAG.sequence, algorithm, der(TAG.octetString, sha256(message))),
    der(TAG.integer, positive(nonce)),
    der(TAG.boolean, Buffer.from([0xff])),
  );
}

/**
 * The token of a DER TimeStampResp that answers exactly this message and nonce; its signature is for
 * {@link verifyTimestamp}. Raises `upstream_failed` when the authority refused, `evidence_invalid` for a
 * reply that is malformed or answers something else.
 */
export function tokenOfReply(reply: Uint8Array, message: Uint8Array, nonce: Uint8Array): Buffer {
  const response = new DerReader(readDer(reply, TAG.sequence, WHAT).content, WHAT);
  const status = readInteger(response.inside(TAG.sequence).take(), WHAT);
  if (!GRANTED.has(status))
    throw new PalisadeError('upstream_failed', `the timestamp authority refused with status ${status}`);
  const token = response.take(TAG.sequence).raw;
  response.end();
  const said = readTimestamp(token);
  if (!said.imprint.equals(sha256(message))) throw malformed(`${WHAT}: it is of something else`);
  // A reply that was kept from an earlier request would state an earlier time.
  if (
    said.nonce !==
    Buffer.from(nonce)
      .toString('hex')
      .replace(/^0+(?=.)/, '')
  )
    throw malformed(`${WHAT}: it is not of this request`);
  return Buffer.from(token);
}

/** An unsigned number's shortest two's complement. */
function positive(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const digits = Buffer.from(bytes.subarray(start));
  return (digits[0] ?? 0) < 0x80 ? digits : Buffer.concat([Buffer.from([0]), digits]);
}

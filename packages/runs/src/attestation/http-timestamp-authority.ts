import { randomBytes } from 'node:crypto';
import { evidenceLimits, PalisadeError, type TimestampAuthority } from '@palisade/contracts';
import {
  TIMESTAMP_QUERY,
  TIMESTAMP_REPLY,
  timestampQuery,
  tokenOfReply,
  verifyTimestamp,
} from '@palisade/evidence';
import type { EgressClient } from '@palisade/kernel';

export interface HttpTimestampOptions {
  readonly url: string;
  readonly client: EgressClient;
  /** Certificates (DER) that its chain must end in; without them a token is taken as it comes, and auditors judge it. */
  readonly authorities?: readonly Uint8Array[];
}

const NONCE_BYTES = 8;
const TIMEOUT_MS = 10_000;

/** An RFC 3161 authority over HTTP (§3.4). Its replies prove themselves, and requests hold a hash, so the wire may be clear. */
export function httpTimestampAuthority({
  url,
  client,
  authorities,
}: HttpTimestampOptions): TimestampAuthority {
  const { host, pathname } = new URL(url);
  return {
    name: `${host}${pathname === '/' ? '' : pathname}`,
    async stamp(message) {
      const nonce = randomBytes(NONCE_BYTES);
      const reply = await client.request({
        url,
        method: 'POST',
        headers: { 'content-type': TIMESTAMP_QUERY, accept: TIMESTAMP_REPLY },
        body: timestampQuery(message, nonce),
        timeoutMs: TIMEOUT_MS,
        maxReplyBytes: evidenceLimits.timestampBytes,
      });
      const type = reply.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
      if (reply.status !== 200 || type !== TIMESTAMP_REPLY)
        throw new PalisadeError('upstream_failed', `${host} gave no timestamp: status ${reply.status}`);
      const token = tokenOfReply(reply.body, message, nonce);
      const found = authorities === undefined ? null : verifyTimestamp(token, message, authorities);
      if (found !== null && 'problem' in found)
        throw new PalisadeError(
          'evidence_invalid',
          `the timestamp of ${host} does not hold: ${found.problem}`,
        );
      return token;
    },
  };
}

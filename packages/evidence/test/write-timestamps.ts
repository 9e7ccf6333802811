import { writeFileSync } from 'node:fs';
import { sha256Hex } from '@palisade/contracts';
import { readSignedData } from '../src/time/signed-data.ts';
import { timestampQuery, tokenOfReply } from '../src/time/timestamp-protocol.ts';
import { stampedBundle, stampedMessage, type Timestamps, TIMESTAMPS_FILE } from './attested-vectors.ts';
import { Authority, CA, STAMPING } from './authority.ts';

/**
 * Has the checkpoint of the golden vectors stamped anew by authorities made of openssl; needed only when that
 * checkpoint changes: `node packages/evidence/test/write-timestamps.ts`, then `write-vectors.ts`.
 */
const message = stampedMessage(await stampedBundle());
const nonce = Buffer.from('0123456789abcdef', 'hex');
const tsa = new Authority();
try {
  const base64 = (bytes: Buffer): string => bytes.toString('base64');
  const authorities = {
    rsa: base64(tsa.certify('RSA Authority', { key: 'rsa', extensions: CA, days: 36_500 })),
    ec: base64(tsa.certify('EC Authority', { key: 'p384', extensions: CA, days: 36_500, digest: 'sha384' })),
    stranger: base64(tsa.certify('Stranger', { extensions: CA, days: 36_500 })),
  };
  tsa.certify('RSA Stamper', { key: 'rsa', issuer: 'RSA Authority', extensions: STAMPING, days: 36_500 });
  tsa.certify('EC Middle', { issuer: 'EC Authority', extensions: CA, days: 36_500 });
  tsa.certify('EC Stamper', { issuer: 'EC Middle', extensions: STAMPING, days: 36_500 });
  tsa.certify('Other Stamper', { issuer: 'Stranger', extensions: STAMPING, days: 36_500 });
  tsa.certify('Expired Stamper', {
    issuer: 'RSA Authority',
    extensions: STAMPING,
    period: ['20200101000000Z', '20210101000000Z'],
  });
  tsa.certify('Server', {
    issuer: 'RSA Authority',
    extensions: ['extendedKeyUsage=critical,serverAuth'],
    days: 36_500,
  });
  const stamp = (of: Buffer, signer: string, chain: readonly string[] = []): Buffer =>
    tokenOfReply(tsa.reply(timestampQuery(of, nonce), signer, chain), of, nonce);
  const rsa = stamp(message, 'RSA Stamper');
  const { content } = readSignedData(rsa);
  const timestamps: Timestamps = {
    message: sha256Hex(message),
    authorities,
    tokens: {
      rsa: base64(rsa),
      chain: base64(stamp(message, 'EC Stamper', ['EC Middle'])),
      plain: base64(tsa.signPlainly(content, 'RSA Stamper')),
      expired: base64(tsa.signPlainly(content, 'Expired Stamper')),
      purposeless: base64(tsa.signPlainly(content, 'Server')),
      other: base64(stamp(Buffer.from('another checkpoint'), 'RSA Stamper')),
      stranger: base64(stamp(message, 'Other Stamper')),
    },
  };
  writeFileSync(TIMESTAMPS_FILE, `${JSON.stringify(timestamps, null, 2)}\n`);
} finally {
  tsa.remove();
}

import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Authority, CA, hasOpenssl, STAMPING } from '../../test/authority.ts';
import { Certificate } from './certificate.ts';
import { context, der, DerReader, derOid, readDer, TAG } from './der.ts';
import { readSignedData } from './signed-data.ts';
import { timestampQuery, tokenOfReply } from './timestamp-protocol.ts';
import { verifyTimestamp } from './timestamp-token.ts';

const MESSAGE = Buffer.from('log.example/palisade\n1\nroot\n\n— log.example/palisade sig\n');
const NONCE = Buffer.from('00c0ffee00000002', 'hex');
const EXTENDED_KEY_USAGE = '2.5.29.37';
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';

const elementsOf = (sequence: Uint8Array) => new DerReader(readDer(sequence, TAG.sequence, 'x').content, 'x');

/** The body of a certificate with other extensions: those of a timestamp authority. */
function asStamper(genuine: Buffer): Buffer {
  const parts = elementsOf(elementsOf(genuine).take().raw).rest();
  const purpose = der(
    TAG.sequence,
    derOid(EXTENDED_KEY_USAGE),
    der(TAG.boolean, Buffer.from([0xff])),
    der(TAG.octetString, der(TAG.sequence, derOid(TIME_STAMPING))),
  );
  return der(
    TAG.sequence,
    ...parts.filter(({ tag }) => tag !== context(3)).map(({ raw }) => raw),
    der(context(3), der(TAG.sequence, purpose)),
  );
}

/** A token with another certificate in place of those it brings. */
function carrying(token: Buffer, certificate: Buffer): Buffer {
  const info = elementsOf(token);
  const type = info.take().raw;
  const parts = elementsOf(info.inside(context(0)).take().raw).rest();
  const changed = parts.map(({ tag, raw }) => (tag === context(0) ? der(context(0), certificate) : raw));
  return der(TAG.sequence, type, der(context(0), der(TAG.sequence, ...changed)));
}

describe.skipIf(!hasOpenssl)('a certificate made with openssl', () => {
  let tsa: Authority;
  let root: Buffer;
  let tls: Buffer;

  beforeAll(() => {
    tsa = new Authority();
    root = tsa.certify('root', { extensions: CA });
    tsa.certify('leaf', { issuer: 'root', extensions: STAMPING });
    tls = tsa.certify('tls', {
      issuer: 'root',
      key: 'rsa',
      extensions: ['extendedKeyUsage=serverAuth', 'keyUsage=critical,digitalSignature'],
    });
  });
  afterAll(() => tsa.remove());

  test('DI-251: is read as DER alone: a PEM within other bytes lends them neither name, key nor signature', () => {
    const [, algorithm, signature] = elementsOf(tls).rest();
    const pem = Buffer.from(`\n${new X509Certificate(tls).toString()}`);
    const forgedBody = asStamper(tls);
    const algorithmBytes = algorithm?.raw ?? Buffer.alloc(0);
    const signatureBytes = signature?.raw ?? Buffer.alloc(0);
    expect(new Certificate(tls).stampingProblem()).not.toBeNull();
    const wrapped = [
      der(TAG.sequence, forgedBody, algorithmBytes, der(TAG.octetString, pem)),
      der(TAG.sequence, forgedBody, algorithmBytes, der(TAG.bitString, pem)),
      der(TAG.sequence, forgedBody, algorithmBytes, signatureBytes, der(TAG.octetString, pem)),
    ];
    const { content } = readSignedData(
      tokenOfReply(tsa.reply(timestampQuery(MESSAGE, NONCE), 'leaf'), MESSAGE, NONCE),
    );
    const token = tsa.signPlainly(content, 'tls');
    expect(verifyTimestamp(token, MESSAGE, [root])).toMatchObject({
      problem: expect.stringContaining('extended key usage that is not critical'),
    });
    for (const bytes of wrapped) {
      // The premise: whoever asks for a certificate in these bytes is given the genuine one.
      expect(new X509Certificate(bytes).raw.equals(tls)).toBe(true);
      expect(() => new Certificate(bytes)).toThrow('malformed certificate');
      expect(verifyTimestamp(carrying(token, bytes), MESSAGE, [root])).toEqual({
        problem: "the signer's certificate is not there",
      });
    }
    expect(() => new Certificate(pem)).toThrow('malformed certificate');
  });

  test('DI-251: ends where its signature does', () => {
    const parts = elementsOf(tls)
      .rest()
      .map(({ raw }) => raw);
    expect(new Certificate(der(TAG.sequence, ...parts)).x509.raw.equals(tls)).toBe(true);
    for (const bytes of [
      der(TAG.sequence, ...parts, der(TAG.null)),
      der(TAG.sequence, ...parts.slice(0, 2)),
      Buffer.concat([tls, Buffer.from([0])]),
    ])
      expect(() => new Certificate(bytes)).toThrow('malformed certificate');
  });
});

import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isPalisadeError } from '@palisade/contracts';
import { Authority, CA, hasOpenssl, type KeyKind, STAMPING } from '../../test/authority.ts';
import { readSignedData } from './signed-data.ts';
import { timestampQuery, tokenOfReply } from './timestamp-protocol.ts';
import { readTimestamp, verifyTimestamp } from './timestamp-token.ts';

const MESSAGE = Buffer.from('log.example/palisade\n1\nroot\n\n— log.example/palisade sig\n');
const NONCE = Buffer.from('00c0ffee00000001', 'hex');

describe.skipIf(!hasOpenssl)('a timestamp of an authority run with openssl', () => {
  let tsa: Authority;
  let root: Buffer;

  beforeAll(() => {
    tsa = new Authority();
    root = tsa.certify('root', { extensions: CA });
    tsa.certify('leaf', { issuer: 'root', extensions: STAMPING });
  });
  afterAll(() => tsa.remove());

  /** A token over the message by a signer, and its verdict with the given authorities. */
  function stamp(signer: string, chain: readonly string[] = [], settings: readonly string[] = []): Buffer {
    return tokenOfReply(tsa.reply(timestampQuery(MESSAGE, NONCE), signer, chain, settings), MESSAGE, NONCE);
  }

  function verdict(
    token: Buffer,
    authorities: readonly Buffer[] = [root],
    message: Uint8Array = MESSAGE,
  ): string {
    const found = verifyTimestamp(token, message, authorities);
    return 'problem' in found ? found.problem : `by ${found.by}`;
  }

  const kinds: [KeyKind, KeyKind, string][] = [
    ['rsa', 'rsa', 'sha256'],
    ['rsa', 'p256', 'sha512'],
    ['p256', 'rsa', 'sha384'],
    ['p384', 'p256', 'sha256'],
    ['p256', 'p384', 'sha384'],
  ];
  test.each(kinds)(
    'DI-251: holds by a %s key under a %s authority with %s, and openssl agrees',
    (leaf, issuer, digest) => {
      const name = `${leaf}-${issuer}`;
      const authority = tsa.certify(`ca-${name}`, { key: issuer, extensions: CA, digest });
      tsa.certify(name, { key: leaf, issuer: `ca-${name}`, extensions: STAMPING, digest });
      const before = Date.now() - 1_000;
      const token = stamp(name, [], [`signer_digest=${digest}`, 'ess_cert_id_alg=sha512']);
      const found = verifyTimestamp(token, MESSAGE, [authority]);
      expect(found).toEqual({ at: expect.any(Number), by: name, nonce: 'c0ffee00000001' });
      if ('at' in found) expect([found.at >= before, found.at <= Date.now()]).toEqual([true, true]);
      expect(tsa.verifies(token, MESSAGE, `ca-${name}`)).toBe(true);
    },
  );

  test('DI-251: a chain of several intermediate authorities is followed to the trust root, and no further', () => {
    tsa.certify('middle-1', { issuer: 'root', extensions: CA });
    tsa.certify('middle-2', { issuer: 'middle-1', extensions: [...CA, 'extendedKeyUsage=timeStamping'] });
    tsa.certify('deep', { issuer: 'middle-2', extensions: STAMPING });
    const token = stamp('deep', ['middle-2', 'middle-1']);
    expect(verdict(token)).toBe('by deep');
    expect(tsa.verifies(token, MESSAGE, 'root')).toBe(true);
    // An intermediate or the signer itself may be what the auditor trusts; a stranger may not.
    expect(verdict(token, [tsa.certificate('middle-1')])).toBe('by deep');
    expect(verdict(token, [tsa.certificate('deep')])).toBe('by deep');
    expect(verdict(token, [tsa.certify('stranger', { extensions: CA })])).toBe(
      'no chain leads to an authority of the trust root',
    );
    // However many others the auditor trusts.
    expect(verdict(token, [...Array<Buffer>(99).fill(tsa.certificate('stranger')), root])).toBe('by deep');
    expect(verdict(token, [])).toBe('no chain leads to an authority of the trust root');
    expect(verdict(stamp('deep', ['middle-2']))).toBe('no chain leads to an authority of the trust root');
    // What the token does not bring may be in the trust root.
    expect(verdict(stamp('deep', ['middle-2']), [tsa.certificate('middle-1'), root])).toBe('by deep');
  });

  test('DI-251: holds without signed attributes, by issuer and serial number or by key identifier', () => {
    tsa.certify('plain', {
      key: 'rsa',
      issuer: 'root',
      extensions: [...STAMPING, 'subjectKeyIdentifier=hash'],
    });
    const content = readSignedData(stamp('plain')).content;
    expect(verdict(tsa.signPlainly(content, 'plain'))).toBe('by plain');
    expect(verdict(tsa.signPlainly(content, 'plain', true))).toBe('by plain');
    expect(readSignedData(tsa.signPlainly(content, 'plain')).signer.attributes).toBeNull();
    const changed = Buffer.from(content);
    changed[changed.indexOf('2026') + 3] = 0x35;
    expect(changed.equals(content)).toBe(false);
    const token = tsa.signPlainly(content, 'plain');
    token.set(changed, token.indexOf(content));
    expect(verdict(token)).toBe("the timestamp's signature is wrong");
  });

  test('DI-251: a signing certificate named by SHA-1, as old authorities do, is checked too', () => {
    tsa.certify('old', { issuer: 'root', extensions: STAMPING });
    const token = stamp('old', [], ['ess_cert_id_alg=sha1']);
    expect(verdict(token)).toBe('by old');
  });

  const refused: [string, RegExp, Parameters<Authority['certify']>[1]][] = [
    [
      'no-purpose',
      /no extended key usage|not for timestamping/,
      { extensions: ['keyUsage=critical,digitalSignature'] },
    ],
    ['uncritical', /not critical/, { extensions: ['extendedKeyUsage=timeStamping'] }],
    [
      'two-purposes',
      /not for timestamping alone/,
      { extensions: ['extendedKeyUsage=critical,timeStamping,serverAuth'] },
    ],
    [
      'no-signing',
      /key usage without signatures/,
      { extensions: ['extendedKeyUsage=critical,timeStamping', 'keyUsage=critical,keyEncipherment'] },
    ],
    [
      'unknown-critical',
      /critical extension .* not understood/,
      { extensions: [...STAMPING, '1.2.3.4=critical,DER:0500'] },
    ],
    ['small', /key that is not accepted/, { key: 'rsa-small', extensions: STAMPING }],
    ['sha1-signed', /signer's certificate is not there/, { digest: 'sha1', extensions: STAMPING }],
    [
      'expired',
      /not valid any more/,
      { extensions: STAMPING, period: ['20200101000000Z', '20210101000000Z'] },
    ],
    ['future', /not valid yet/, { extensions: STAMPING, period: ['20450101000000Z', '20460101000000Z'] }],
  ];
  /** A token as a good signer would give it, signed by a certificate that openssl itself would refuse to use. */
  const signedBy = (name: string): Buffer => {
    tsa.certify('helper', { issuer: 'root', extensions: STAMPING });
    return tsa.signPlainly(readSignedData(stamp('helper')).content, name);
  };
  test.each(refused)('DI-251: a signer that is %s attests nothing', (name, expected, options) => {
    tsa.certify(name, { issuer: 'root', ...options });
    expect(verdict(signedBy(name))).toMatch(expected);
  });

  const badIssuers: [string, RegExp, Parameters<Authority['certify']>[1]][] = [
    ['no-authority', /no certification authority/, { extensions: ['basicConstraints=critical,CA:FALSE'] }],
    ['no-constraints', /no certification authority/, { extensions: ['subjectKeyIdentifier=hash'] }],
    [
      'other-purpose',
      /may not issue for timestamping/,
      { extensions: [...CA, 'extendedKeyUsage=serverAuth'] },
    ],
    [
      'expired-issuer',
      /not valid any more/,
      { extensions: CA, period: ['20200101000000Z', '20210101000000Z'] },
    ],
  ];
  test.each(badIssuers)('DI-251: an issuer that is %s makes no chain', (name, expected, options) => {
    tsa.certify(name, { issuer: 'root', ...options });
    tsa.certify(`${name}-leaf`, { issuer: name, extensions: STAMPING });
    expect(verdict(stamp(`${name}-leaf`, [name]))).toMatch(expected);
  });

  test('DI-251: a path length is kept, and an expired authority in the trust root does not count', () => {
    const short = tsa.certify('short', {
      extensions: ['basicConstraints=critical,CA:TRUE,pathlen:0', 'keyUsage=critical,keyCertSign'],
    });
    tsa.certify('below', { issuer: 'short', extensions: CA });
    tsa.certify('below-leaf', { issuer: 'below', extensions: STAMPING });
    expect(verdict(stamp('below-leaf', ['below']), [short])).toMatch(/too long a chain/);
    tsa.certify('short-leaf', { issuer: 'short', extensions: STAMPING });
    expect(verdict(stamp('short-leaf'), [short])).toBe('by short-leaf');
    const gone = tsa.certify('gone', { extensions: CA, period: ['20200101000000Z', '20210101000000Z'] });
    tsa.certify('gone-leaf', { issuer: 'gone', extensions: STAMPING });
    expect(verdict(stamp('gone-leaf'), [gone])).toMatch(/an issuer's certificate was not valid any more/);
  });

  test('DI-251: a timestamp of something else attests nothing of this', () => {
    expect(verdict(stamp('leaf'), [root], Buffer.from('other'))).toBe('the timestamp is of something else');
  });

  test('DI-251: the reply must answer this request: another nonce, another message and a refusal are none', () => {
    const reply = tsa.reply(timestampQuery(MESSAGE, NONCE), 'leaf');
    const code = (read: () => unknown): string => {
      try {
        read();
        return 'taken';
      } catch (error) {
        return isPalisadeError(error) ? `${error.code}: ${error.message}` : String(error);
      }
    };
    expect(code(() => tokenOfReply(reply, MESSAGE, NONCE))).toBe('taken');
    expect(code(() => tokenOfReply(reply, MESSAGE, Buffer.from([1])))).toMatch(
      /^evidence_invalid.*not of this request/,
    );
    expect(code(() => tokenOfReply(reply, Buffer.from('x'), NONCE))).toMatch(
      /^evidence_invalid.*something else/,
    );
    expect(code(() => tokenOfReply(Buffer.from('30053003020102', 'hex'), MESSAGE, NONCE))).toBe(
      'upstream_failed: the timestamp authority refused with status 2',
    );
    expect(code(() => tokenOfReply(Buffer.from('<html>'), MESSAGE, NONCE))).toMatch(/^evidence_invalid/);
  });

  test('FF-137: whatever byte of a token is changed or cut off, it is refused with a reason or attests the same', () => {
    const token = stamp('leaf');
    const good = verifyTimestamp(token, MESSAGE, [root]);
    const { content, signer } = readSignedData(token);
    const starts = [token.indexOf(content), token.indexOf(signer.signature.bytes)];
    let refusals = 0;
    fc.assert(
      fc.property(
        fc.nat({ max: token.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        fc.boolean(),
        (at, mask, cut) => {
          const damaged = Buffer.from(cut ? token.subarray(0, at) : token);
          if (!cut) damaged[at] = (damaged[at] ?? 0) ^ mask;
          const found = verifyTimestamp(damaged, MESSAGE, [root]);
          if ('problem' in found) refusals++;
          else expect(found).toEqual(good);
          if (cut) expect('problem' in found).toBe(true);
        },
      ),
      { numRuns: 400 },
    );
    expect(refusals).toBeGreaterThan(200);
    // Every byte of what is signed, and of the signature.
    for (const [start = 0, length] of [
      [starts[0], content.length] as const,
      [starts[1], signer.signature.bytes.length] as const,
    ])
      for (let at = start; at < start + length; at++) {
        const damaged = Buffer.from(token);
        damaged[at] = (damaged[at] ?? 0) ^ 1;
        expect([at, 'problem' in verifyTimestamp(damaged, MESSAGE, [root])]).toEqual([at, true]);
      }
  });

  test('a token that costs much to read or to check is refused soon', () => {
    const started = performance.now();
    for (const hostile of [
      Buffer.alloc(65_536, 0x30),
      Buffer.from('3084ffffffff', 'hex'),
      Buffer.from('308000', 'hex'),
      Buffer.alloc(0),
    ])
      expect(verdict(hostile)).toMatch(/^malformed/);
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  test('what a token states is read without a trust root', () => {
    expect(readTimestamp(stamp('leaf'))).toMatchObject({
      nonce: 'c0ffee00000001',
      genTime: expect.any(Number),
    });
  });
});

import { generateKeyPairSync, sign } from 'node:crypto';
import { canonicalJson, type EvidenceBundle, type TrustRoot } from '@palisade/contracts';
import { beforeAll, describe, expect, test } from 'vitest';
import { copyOf, forged } from '../../test/forge.ts';
import { detailOf, failing, verify } from '../../test/judge.ts';
import { OPS_KEY, ORIGIN, sampleStory, START, TestLog, testSigner, TRUST_ROOT } from '../../test/story.ts';
import { parseBundle, parseTrustRoot, type Signer, trustRootFrom } from '../index.ts';
import { signCheckpoint } from '../log/checkpoint.ts';
import { leafHash } from '../merkle/merkle-hash.ts';
import { sealLeaf } from '../seal.ts';

let good: EvidenceBundle;

beforeAll(async () => {
  const log = new TestLog();
  await log.seal(sampleStory('run-x'));
  good = await log.seal(sampleStory());
});

describe('keys', () => {
  const DAY = 86_400_000;

  test('DI-247: without a trust root the signature is n/a, said in the row, and never tampered', () => {
    const report = verify(good, null);
    expect(detailOf(good, 'signature', null)).toBe(
      'n/a: unverifiable — no trust anchor (public key) available',
    );
    expect(detailOf(good, 'inclusion', null)).toMatch(/^n\/a: leaf 1 of 2, but no trust root/);
    expect(report).toMatchObject({ intact: true, claim: 'tamper-detecting' });
  });

  test('DI-247: without an anchor outside of the installation no bundle is more than tamper-detecting, whatever it says of itself', () => {
    const report = verify(good);
    expect(report).toMatchObject({ guarantee: 'detect', claim: 'tamper-detecting', time_tier: 'asserted' });
    expect(detailOf(good, 'anchor')).toBe('n/a: local only: this is why it is not tamper-evident');
    for (const boast of [
      { anchor: { guarantee: 'external-immutable' } },
      { report },
      { claim: 'tamper-evident' },
    ])
      expect(() => parseBundle(Buffer.from(canonicalJson({ ...good, ...boast })))).toThrow(
        expect.objectContaining({ code: 'evidence_invalid' }),
      );
    // The anchor row is no reason to fail either: a check that could not be made is neither.
    expect(report.failure).toBeUndefined();
  });

  test('DI-252: an unknown key, another key of that name and another algorithm fail', () => {
    const { spki_der } = TRUST_ROOT.keys['ops-2026'] ?? { spki_der: '' };
    const entry = { ...(TRUST_ROOT.keys['ops-2026'] as TrustRoot['keys'][string]) };
    const ecdsa = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({
      format: 'der',
      type: 'spki',
    });
    const roots: [RegExp, TrustRoot['keys']][] = [
      [/"ops-2026" is not in the trust root/, {}],
      [/"ops-2026" is not in the trust root/, { 'ops-2027': entry }],
      [
        /not by key "ops-2026"/,
        {
          'ops-2026': { ...entry, spki_der: Buffer.from(testSigner(9).publicKeySpkiDer).toString('base64') },
        },
      ],
      [/not the ecdsa-p256 key/, { 'ops-2026': { ...entry, alg: 'ecdsa-p256', spki_der } }],
      [/not the ed25519 key/, { 'ops-2026': { ...entry, spki_der: ecdsa.toString('base64') } }],
      [/not the ed25519 key/, { 'ops-2026': { ...entry, spki_der: 'AAAA' } }],
      [/may not sign seals/, { 'ops-2026': { ...entry, uses: ['log'] } }],
    ];
    for (const [expected, keys] of roots) {
      const root = { ...TRUST_ROOT, keys };
      expect(detailOf(good, 'signature', root)).toMatch(expected);
      expect(verify(good, root).intact).toBe(false);
    }
    const sealOnly = { ...TRUST_ROOT, keys: { 'ops-2026': { ...entry, uses: ['seal' as const] } } };
    expect(failing(good, sealOnly)).toEqual(['inclusion']);
  });

  test('DI-252: a key named like a member of every object is not in the trust root', () => {
    for (const keyid of ['__proto__', 'constructor', 'toString', '']) {
      const bundle = forged(good, (b) => void Object.assign(b.seal.signatures[0] ?? {}, { keyid }));
      expect(detailOf(bundle, 'signature')).toContain('is not in the trust root');
    }
  });

  test('the log named by the trust root is the only one accepted', () => {
    expect(detailOf(good, 'inclusion', { ...TRUST_ROOT, log_origin: 'other.example/log' })).toContain(
      'the checkpoint is of log "log.example/palisade", trusted is "other.example/log"',
    );
  });

  test('DI-252: with an asserted time only, a revoked key fails whatever time is claimed', () => {
    const root = trustRootFrom(ORIGIN, [{ ...OPS_KEY, notBefore: START - DAY, revokedAt: START + 30 * DAY }]);
    expect(failing(good, root)).toEqual(['signature', 'inclusion']);
    expect(detailOf(good, 'signature', root)).toContain('is revoked');
    const sly = copyOf(root);
    Object.assign(sly.keys['ops-2026'] ?? {}, { status: 'active' });
    expect(failing(good, sly)).toContain('signature');
  });

  test('FF-142: evidence of every period stays verifiable after three rotations, and an old key signs nothing new', async () => {
    const signers = [1, 2, 3, 4].map((seed) => testSigner(seed, `ops-${seed}`));
    const root = trustRootFrom(
      ORIGIN,
      signers.map((key, i) => ({
        ...key,
        notBefore: START + i * 100 * DAY,
        ...(i < 3 ? { notAfter: START + (i + 1) * 100 * DAY } : {}),
      })),
    );
    const log = new TestLog();
    const exported: EvidenceBundle[] = [];
    for (const [i, signer] of signers.entries()) {
      log.signer = signer;
      exported.push(await log.seal(sampleStory(`run-${i}`, START + (i * 100 + 50) * DAY)));
    }
    for (const bundle of exported)
      expect([bundle.run_id, failing(bundle, root)]).toEqual([bundle.run_id, []]);

    const [stolen, , , current] = signers as [Signer, Signer, Signer, Signer];
    log.signer = current;
    const forgery = await log.seal(sampleStory('run-forged', START + 380 * DAY), stolen);
    expect(failing(forgery, root)).toEqual(['signature']);
    expect(detailOf(forgery, 'signature', root)).toContain('was no longer in use at');
    const early = await log.seal(sampleStory('run-early', START + 10 * DAY), current);
    expect(detailOf(early, 'signature', root)).toContain('was not in use yet at');
    log.signer = stolen;
    const oldLogKey = await log.seal(sampleStory('run-late', START + 390 * DAY), current);
    expect(failing(oldLogKey, root)).toEqual(['inclusion']);
  });

  test('DI-227: a seal signed with ECDSA P-256 is verified', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const kms: Signer = {
      keyid: 'kms',
      alg: 'ecdsa-p256',
      publicKeySpkiDer: publicKey.export({ format: 'der', type: 'spki' }),
      sign: async (bytes) => sign('sha256', bytes, privateKey),
    };
    const bundle = await new TestLog().seal(sampleStory(), kms);
    const root = trustRootFrom(ORIGIN, [
      { ...kms, notBefore: START - DAY },
      { ...OPS_KEY, notBefore: START - DAY, uses: ['log'] },
    ]);
    expect(failing(bundle, root)).toEqual([]);
    expect(detailOf(bundle, 'signature', root)).toBe('true: key kms (ecdsa-p256)');
    await expect(new TestLog(kms).publisher().publish()).rejects.toThrow(/Ed25519/);
    expect(() => trustRootFrom(ORIGIN, [{ ...kms, uses: ['log'], notBefore: 0 }])).toThrow(
      /cannot sign checkpoints/,
    );
  });

  test('C2SP signed-note: lines of unknown keys are ignored, a bad line of a known key is not', async () => {
    const { checkpoint } = good.log;
    const stranger = await signCheckpoint({ origin: ORIGIN, size: 2, root: Buffer.alloc(32) }, testSigner(9));
    const strangerLine = stranger.slice(stranger.indexOf('—'));
    const withStranger = forged(good, (b) => void (b.log.checkpoint = checkpoint + strangerLine));
    expect(failing(withStranger)).toEqual([]);
    const wrong = await signCheckpoint({ origin: ORIGIN, size: 2, root: Buffer.alloc(32) }, OPS_KEY);
    const badLine = wrong.slice(wrong.indexOf('—'));
    expect(failing(forged(good, (b) => void (b.log.checkpoint = checkpoint + badLine)))).toEqual([
      'inclusion',
    ]);
    const strangerOnly = forged(
      good,
      (b) => void (b.log.checkpoint = checkpoint.replace(/— .*\n$/, strangerLine)),
    );
    expect(detailOf(strangerOnly, 'inclusion')).toBe(
      'false: the checkpoint is signed by no key of the trust root',
    );
  });

  test('a whole log made up by somebody else proves nothing', async () => {
    const forgery = await new TestLog(testSigner(9, 'ops-2026')).seal(sampleStory());
    expect(failing(forgery)).toEqual(['signature', 'inclusion']);
    const lone = leafHash(sealLeaf('run-a', good.seal));
    const mine = await signCheckpoint({ origin: ORIGIN, size: 1, root: lone }, testSigner(9));
    const bundle = forged(
      good,
      (b) => void (b.log = { leaf_index: 0, tree_size: 1, proof: [], checkpoint: mine }),
    );
    expect(failing(bundle)).toEqual(['inclusion']);
  });

  test('DI-252: a trust root is read strictly: times with offset, known members, canonical keys', () => {
    const text = JSON.stringify(TRUST_ROOT);
    expect(parseTrustRoot(Buffer.from(text))).toEqual(TRUST_ROOT);
    for (const damaged of [
      text.replace('T00:00:00.000Z', 'T00:00:00'),
      text.replace(/"not_before":"[^"]*"/, '"not_before":"2025-02-30T00:00:00Z"'),
      text.replace(/"not_before":"[^"]*"/, '"not_before":1767139200000'),
      text.replace('"uses":["seal","log"]', '"uses":[]'),
      text.replace('"status":"active"', '"status":"Active"'),
      text.replace('"ed25519"', '"rsa"'),
      text.replace('"schema_version":1', '"schema_version":2'),
      text.replace('"schema_version":1', '"schema_version":1,"trust":"all"'),
      text.replace(ORIGIN, 'log example'),
      text.slice(1),
    ]) {
      expect(damaged).not.toBe(text);
      expect(() => parseTrustRoot(Buffer.from(damaged))).toThrow(
        expect.objectContaining({ code: 'evidence_invalid' }),
      );
    }
    expect(() =>
      trustRootFrom(ORIGIN, [
        { ...OPS_KEY, notBefore: 0 },
        { ...OPS_KEY, notBefore: 1 },
      ]),
    ).toThrow(/named twice/);
    expect(() =>
      trustRootFrom(ORIGIN, [{ ...OPS_KEY, publicKeySpkiDer: Buffer.from('no'), notBefore: 0 }]),
    ).toThrow(/not a public key/);
  });
});

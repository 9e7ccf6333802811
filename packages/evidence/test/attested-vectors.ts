import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EvidenceBundle, TrustRoot } from '@palisade/contracts';
import { parseCheckpoint, withoutCosignatures } from '../src/log/checkpoint.ts';
import { NOTE_KEY_TYPE } from '../src/log/signed-note.ts';
import { cosignCheckpoint } from '../src/witness/cosignature.ts';
import { formatVerifierKey } from '../src/witness/verifier-key.ts';
import type { Signer } from '../src/index.ts';
import { forged } from './forge.ts';
import { sampleStory, START, TestLog, testSigner, TRUST_ROOT } from './story.ts';

/** Where `write-timestamps.ts` leaves what only an authority can make: its output is random, so it is kept. */
export const TIMESTAMPS_FILE = join(import.meta.dirname, 'timestamps.json');

/** Tokens over the checkpoint of {@link stampedBundle} and certificates, all base64. */
export interface Timestamps {
  /** SHA-256 of what the tokens are of. */
  readonly message: string;
  readonly authorities: Readonly<Record<'rsa' | 'ec' | 'stranger', string>>;
  readonly tokens: Readonly<
    Record<'rsa' | 'chain' | 'plain' | 'expired' | 'purposeless' | 'other' | 'stranger', string>
  >;
}

const WITNESSES = {
  one: { name: 'witness.example/one', signer: testSigner(21) },
  two: { name: 'witness.example/two', signer: testSigner(22) },
};

const keyOf = ({ name, signer }: { name: string; signer: Signer }): string =>
  formatVerifierKey(name, signer.publicKeySpkiDer.subarray(-32), NOTE_KEY_TYPE.cosignature);

/** The run whose checkpoint is attested: a leaf among others. */
export async function stampedBundle(): Promise<EvidenceBundle> {
  const log = new TestLog();
  await log.seal(sampleStory('run-before'));
  return log.seal(sampleStory('run-attested'));
}

/** What a timestamp of a bundle is of. */
export function stampedMessage(bundle: EvidenceBundle): Buffer {
  return Buffer.from(withoutCosignatures(bundle.log.checkpoint), 'utf8');
}

export interface AttestedCase {
  readonly name: string;
  readonly about: string;
  readonly bundle: EvidenceBundle;
  readonly root: string;
}

/** Trust roots of the attested cases, as JSON values: some are no trust roots. */
export function attestedRoots(): Record<string, unknown> {
  const { authorities } = readTimestamps();
  const known = [authorities.rsa, authorities.ec];
  const timed = (required: boolean, change: object = {}): unknown => ({
    ...TRUST_ROOT,
    timestamps: { required, authorities: known },
    ...change,
  });
  const [keyid = '', key] = Object.entries(TRUST_ROOT.keys)[0] ?? [];
  const keys = (change: object): TrustRoot['keys'] => ({ [keyid]: { ...key, ...change } as never });
  const witnessed = (needed: number, ...names: string[]): unknown => ({
    ...TRUST_ROOT,
    witnesses: { needed, keys: names },
  });
  const [one, two] = [keyOf(WITNESSES.one), keyOf(WITNESSES.two)];
  return {
    'trust-root-timed.json': timed(false),
    'trust-root-time-required.json': timed(true),
    // The tokens were made in the second half of 2026.
    'trust-root-timed-revoked-later.json': timed(false, {
      keys: keys({ status: 'revoked', revoked_at: '2027-06-01T00:00:00+02:00' }),
    }),
    'trust-root-timed-revoked-earlier.json': timed(false, {
      keys: keys({ status: 'revoked', revoked_at: '2026-06-01T00:00:00Z' }),
    }),
    'trust-root-timed-revoked-untold.json': timed(false, { keys: keys({ status: 'revoked' }) }),
    'trust-root-timed-ended.json': timed(false, { keys: keys({ not_after: '2026-06-01T00:00:00Z' }) }),
    'trust-root-timed-not-begun.json': timed(false, { keys: keys({ not_before: '2028-01-01T00:00:00Z' }) }),
    'trust-root-witness.json': witnessed(1, one, two),
    'trust-root-witnesses.json': witnessed(2, one, two),
    'trust-root-witness-twice.json': witnessed(
      1,
      one,
      keyOf({ name: 'witness.example/alias', signer: WITNESSES.one.signer }),
    ),
    'trust-root-witness-own.json': witnessed(
      1,
      keyOf({ name: 'witness.example/own', signer: testSigner(1) }),
    ),
    'trust-root-time-unclear.json': timed(false, { keys: keys({ not_before: '2026-01-01T00:00:00' }) }),
  };
}

/** Bundles with timestamps and cosignatures, good and spoilt. */
export async function attestedCases(): Promise<AttestedCase[]> {
  const { tokens } = readTimestamps();
  const good = await stampedBundle();
  const text = parseCheckpoint(good.log.checkpoint)?.note.text ?? '';
  const stamped = (timestamp: string): EvidenceBundle =>
    forged(good, (b) => void (b.log.timestamp = timestamp));
  const cosign = ({ name, signer }: { name: string; signer: Signer }, of = text): Promise<string> =>
    cosignCheckpoint(of, name, signer, START / 1_000 + 60);
  const lines = (...all: string[]): EvidenceBundle => {
    const more = all.join('');
    return forged(good, (b) => void (b.log.checkpoint += more));
  };
  const one = await cosign(WITNESSES.one);
  const flipped = one.replace(/.{6}\n$/, (end) =>
    end.startsWith('A') ? `B${end.slice(1)}` : `A${end.slice(1)}`,
  );
  const cut = (base64: string): string => Buffer.from(base64, 'base64').subarray(0, -1).toString('base64');
  const flip = (base64: string): string => {
    const bytes = Buffer.from(base64, 'base64');
    bytes[bytes.length - 5] = (bytes.at(-5) ?? 0) ^ 1;
    return bytes.toString('base64');
  };
  const timed = 'trust-root-timed.json';
  const required = 'trust-root-time-required.json';
  const made = (name: string, about: string, bundle: EvidenceBundle, root: string): AttestedCase => ({
    name,
    about,
    bundle,
    root,
  });
  return [
    made('intact-timed', 'a timestamp by an RSA key under its authority', stamped(tokens.rsa), timed),
    made(
      'intact-timed-chain',
      'a timestamp by an ECDSA key under an intermediate authority',
      stamped(tokens.chain),
      required,
    ),
    made('intact-timed-plain', 'a timestamp without signed attributes', stamped(tokens.plain), required),
    made(
      'intact-timed-unasked',
      'a timestamp, and no authority in the trust root',
      stamped(tokens.rsa),
      'trust-root.json',
    ),
    made(
      'intact-timed-stranger',
      'a timestamp by an unknown authority, which only informs',
      stamped(tokens.stranger),
      timed,
    ),
    made(
      'intact-timed-revoked',
      'the key was revoked after the attested time',
      stamped(tokens.rsa),
      'trust-root-timed-revoked-later.json',
    ),
    made('intact-untimed', 'no timestamp where one is not required', good, timed),
    made('time-missing', 'no timestamp where one is required', good, required),
    made('time-stranger', 'required, by an unknown authority', stamped(tokens.stranger), required),
    made('time-other', 'required, of another checkpoint', stamped(tokens.other), required),
    made('time-flipped', 'required, one bit of its signature', stamped(flip(tokens.rsa)), required),
    made('time-cut', 'required, its last byte is gone', stamped(cut(tokens.rsa)), required),
    made('time-expired', 'required, by a certificate that had expired', stamped(tokens.expired), required),
    made(
      'time-purpose',
      'required, by a certificate that is not for timestamps',
      stamped(tokens.purposeless),
      required,
    ),
    made(
      'time-revoked',
      'the key was revoked before the attested time',
      stamped(tokens.rsa),
      'trust-root-timed-revoked-earlier.json',
    ),
    made(
      'time-revoked-untold',
      'the key was revoked, nobody says when',
      stamped(tokens.rsa),
      'trust-root-timed-revoked-untold.json',
    ),
    made(
      'time-revoked-untimed',
      'the key was revoked, and the timestamp was taken away',
      good,
      'trust-root-timed-revoked-later.json',
    ),
    made(
      'time-ended',
      "the attested time is after the key's period",
      stamped(tokens.rsa),
      'trust-root-timed-ended.json',
    ),
    made(
      'time-not-begun',
      "both times are before the key's period",
      stamped(tokens.rsa),
      'trust-root-timed-not-begun.json',
    ),
    made(
      'trust-root-unclear',
      'a time without offset is no trust root',
      good,
      'trust-root-time-unclear.json',
    ),
    made('intact-witnessed', 'cosigned by one of two, one needed', lines(one), 'trust-root-witness.json'),
    made(
      'intact-witnessed-both',
      'cosigned by two, two needed',
      lines(one, await cosign(WITNESSES.two)),
      'trust-root-witnesses.json',
    ),
    made(
      'intact-witness-unasked',
      'cosigned, and no witness in the trust root',
      lines(one),
      'trust-root.json',
    ),
    made('witness-missing', 'one needed, none there', good, 'trust-root-witness.json'),
    made('witness-too-few', 'two needed, one there twice', lines(one, one), 'trust-root-witnesses.json'),
    made('witness-flipped', 'one bit of the cosignature', lines(flipped), 'trust-root-witness.json'),
    made(
      'witness-other',
      'a cosignature of another checkpoint',
      lines(await cosign(WITNESSES.one, text.replace('\n2\n', '\n3\n'))),
      'trust-root-witness.json',
    ),
    made(
      'witness-stranger',
      'cosigned by an unknown key under a known name',
      lines(await cosign({ ...WITNESSES.one, signer: testSigner(23) })),
      'trust-root-witness.json',
    ),
    made(
      'witness-counted-twice',
      'one key under two names is no trust root',
      lines(one),
      'trust-root-witness-twice.json',
    ),
    made(
      'witness-own',
      "the log's own key as a witness is no trust root",
      good,
      'trust-root-witness-own.json',
    ),
  ];
}

function readTimestamps(): Timestamps {
  return JSON.parse(readFileSync(TIMESTAMPS_FILE, 'utf8')) as Timestamps;
}

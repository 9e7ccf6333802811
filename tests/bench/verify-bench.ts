import { randomBytes } from 'node:crypto';
import type { EvidenceBundle, TrustRoot } from '@palisade/contracts';
import {
  bundleBytes,
  formatVerifierKey,
  NOTE_KEY_TYPE,
  parseBundle,
  parseTrustRoot,
  timestampQuery,
  tokenOfReply,
  verifyBundle,
  withoutCosignatures,
} from '@palisade/evidence';
import { Authority, CA, hasOpenssl, STAMPING } from '../../packages/evidence/test/authority.ts';
import {
  outputInput,
  patchInput,
  productOf,
  sampleStory,
  START,
  Story,
  TestLog,
  testSigner,
  TRUST_ROOT,
} from '../../packages/evidence/test/story.ts';
import { cosignCheckpoint } from '../../packages/evidence/src/witness/cosignature.ts';
import { rawHashes } from './floors.ts';
import { report, skip } from './report.ts';

const NAME = 'evidence.verify_all_checks_entries_per_s';
const ROUNDS = 7;

/**
 * Verifying a bundle with every check at work: chain, rules, manifests, hand-overs, seal, inclusion,
 * a timestamp with its chain, and a witness; and reading it before, strictly. The machine's own figure is the best of the same rounds: others
 * at work slow both down.
 */
export async function benchVerify(short: boolean): Promise<void> {
  if (!hasOpenssl) return skip(NAME, 'this machine has no openssl to play the timestamp authority');
  const log = new TestLog();
  await log.seal(sampleStory('bench-before'));
  const { bundle, root } = await attested(await log.seal(chain(short ? 1_000 : 10_000)));
  const bytes = bundleBytes(bundle);
  const trusted = parseTrustRoot(Buffer.from(JSON.stringify(root)));
  let [readMs, verifyMs, hashesPerS] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0];
  for (let round = 0; round < ROUNDS; round++) {
    hashesPerS = Math.max(hashesPerS, rawHashes());
    const start = performance.now();
    const read = parseBundle(bytes);
    const begin = performance.now();
    const { checks, intact } = verifyBundle(read, trusted);
    readMs = Math.min(readMs, begin - start);
    verifyMs = Math.min(verifyMs, performance.now() - begin);
    const passed = checks.filter(({ ok }) => ok === true).map(({ name }) => name);
    if (
      !intact ||
      !['manifest', 'handoff', 'inclusion', 'time', 'witness'].every((name) => passed.includes(name as never))
    )
      throw new Error(`the benchmark's own evidence does not verify: ${JSON.stringify(checks)}`);
  }
  const perSecond = (ms: number): number => (bundle.entries.length / ms) * 1_000;
  report(NAME, perSecond(verifyMs), 'entries/s', 'higher', hashesPerS, '>= 20000');
  report('evidence.read_entries_per_s', perSecond(readMs), 'entries/s', 'higher', hashesPerS);
}

/** A run whose every item takes over patch and output of the one before. */
function chain(items: number): Story {
  const story = new Story('bench-chain', START).submit(items);
  for (let i = 0; i < items; i++) {
    const [before, item] = [`i${i - 1}`, `i${i}`];
    story
      .fire(item, 1, i === 0 ? [] : [patchInput('base', before), outputInput('notes', before)])
      .start(item)
      .reconcile(item, 'done', 1, productOf(item));
  }
  return story.complete('completed', { done: items });
}

/** The bundle with a timestamp by an authority under another, and a cosignature; the trust root demands both. */
async function attested(bundle: EvidenceBundle): Promise<{ bundle: EvidenceBundle; root: TrustRoot }> {
  const note = bundle.log.checkpoint;
  const message = Buffer.from(withoutCosignatures(note), 'utf8');
  const nonce = randomBytes(8);
  const tsa = new Authority();
  try {
    const ca = tsa.certify('root', { key: 'rsa', extensions: CA });
    tsa.certify('middle', { issuer: 'root', extensions: CA });
    tsa.certify('stamper', { issuer: 'middle', extensions: STAMPING });
    const token = tokenOfReply(
      tsa.reply(timestampQuery(message, nonce), 'stamper', ['middle']),
      message,
      nonce,
    );
    const witness = testSigner(31);
    const text = note.slice(0, note.lastIndexOf('\n\n') + 1);
    const line = await cosignCheckpoint(text, 'witness.example/bench', witness, START / 1_000);
    const key = formatVerifierKey(
      'witness.example/bench',
      witness.publicKeySpkiDer.subarray(-32),
      NOTE_KEY_TYPE.cosignature,
    );
    return {
      bundle: {
        ...bundle,
        log: { ...bundle.log, checkpoint: note + line, timestamp: token.toString('base64') },
      },
      root: {
        ...TRUST_ROOT,
        witnesses: { needed: 1, keys: [key] },
        timestamps: { required: true, authorities: [ca.toString('base64')] },
      },
    };
  } finally {
    tsa.remove();
  }
}

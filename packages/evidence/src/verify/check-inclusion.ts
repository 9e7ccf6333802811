import type { Check, EvidenceBundle, TrustRoot } from '@palisade/contracts';
import { isSignatureOf, rawEd25519 } from '../keys/public-key.ts';
import { periodProblem, type SigningTime, trustedKey } from '../keys/trusted-key.ts';
import { parseCheckpoint } from '../log/checkpoint.ts';
import { noteKeyId, type SignedNote } from '../log/signed-note.ts';
import { leafHash } from '../merkle/merkle-hash.ts';
import { verifyInclusion } from '../merkle/proof.ts';
import { sealLeaf } from '../seal.ts';

/** Why the proof does not show the seal under the bundle's checkpoint, or null. Who signed the checkpoint is another question. */
export function proofProblem(bundle: EvidenceBundle): string | null {
  const { leaf_index: index, tree_size: size, proof, checkpoint: note } = bundle.log;
  const checkpoint = parseCheckpoint(note)?.checkpoint;
  if (checkpoint === undefined) return 'the checkpoint is not a well-formed signed note';
  if (checkpoint.size !== size) return `the checkpoint is of ${checkpoint.size} leaves, the proof of ${size}`;
  const leaf = leafHash(sealLeaf(bundle.run_id, bundle.seal));
  const path = proof.map((hash) => Buffer.from(hash, 'base64'));
  return verifyInclusion(leaf, index, size, path, checkpoint.root)
    ? null
    : `the proof does not show the seal at leaf ${index} of ${size}`;
}

/** The seal stands in the log of the trust root, under a checkpoint signed by one of its keys. `problem` is {@link proofProblem}'s. */
export function checkInclusion(
  bundle: EvidenceBundle,
  trustRoot: TrustRoot | null,
  problem: string | null,
  time: SigningTime | null,
): Check {
  const name = 'inclusion';
  const failed = (detail: string): Check => ({ name, ok: false, detail });
  const { leaf_index: index, tree_size: size } = bundle.log;
  const parsed = parseCheckpoint(bundle.log.checkpoint);
  if (problem !== null || parsed === null) return failed(problem ?? 'the checkpoint cannot be read');
  if (trustRoot === null)
    return {
      name,
      ok: 'n/a',
      detail: `leaf ${index} of ${size}, but no trust root to check the checkpoint by`,
    };
  const { origin } = parsed.checkpoint;
  if (origin !== trustRoot.log_origin)
    return failed(
      `the checkpoint is of log ${JSON.stringify(origin)}, trusted is ${JSON.stringify(trustRoot.log_origin)}`,
    );
  if (time === null) return failed('the seal states no time to judge the log key by');
  const refusal = noteProblem(parsed.note, trustRoot, time);
  return refusal === null ? { name, ok: true, detail: `leaf ${index} of ${size}` } : failed(refusal);
}

/**
 * Null when a key of the trust root signed the note under the log's name. As C2SP signed-note has it,
 * lines of unknown keys are ignored, and a line that names a known key must verify. A timestamp is of the
 * first line alone.
 */
function noteProblem(note: SignedNote, trustRoot: TrustRoot, time: SigningTime): string | null {
  const bytes = Buffer.from(note.text, 'utf8');
  let refusal: string | null = null;
  let isSigned = false;
  for (const keyid of Object.keys(trustRoot.keys)) {
    const found = trustedKey(trustRoot, keyid, 'log');
    if ('refused' in found || found.entry.alg !== 'ed25519') continue;
    const id = noteKeyId(trustRoot.log_origin, rawEd25519(found.key));
    for (const [place, line] of note.signatures.entries()) {
      if (line.name !== trustRoot.log_origin || line.keyId !== id) continue;
      if (!isSignatureOf(found.key, 'ed25519', bytes, line.signature))
        return `the checkpoint's signature is not by key ${JSON.stringify(keyid)}`;
      const attested = place === 0 ? time.attested : null;
      const problem = periodProblem(found.entry, 'log', { asserted: time.asserted, attested });
      if (problem === null) isSigned = true;
      else refusal ??= `the checkpoint's key ${JSON.stringify(keyid)} ${problem}`;
    }
  }
  if (isSigned) return null;
  return refusal ?? 'the checkpoint is signed by no key of the trust root';
}

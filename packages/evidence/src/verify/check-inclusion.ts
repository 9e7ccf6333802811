import type { Check, EvidenceBundle, TrustRoot } from '@palisade/contracts';
import { isSignatureOf, rawEd25519 } from '../keys/public-key.ts';
import { periodProblem, trustedKey } from '../keys/trusted-key.ts';
import { parseCheckpoint } from '../log/checkpoint.ts';
import { noteKeyId, type SignedNote } from '../log/signed-note.ts';
import { leafHash } from '../merkle/merkle-hash.ts';
import { verifyInclusion } from '../merkle/proof.ts';
import { sealLeaf } from '../seal.ts';

/** The seal stands in the log of the trust root, under a checkpoint signed by one of its keys. */
export function checkInclusion(
  bundle: EvidenceBundle,
  trustRoot: TrustRoot | null,
  sealedAt: number | null,
): Check {
  const name = 'inclusion';
  const failed = (detail: string): Check => ({ name, ok: false, detail });
  const { leaf_index: index, tree_size: size, proof, checkpoint: note } = bundle.log;
  const parsed = parseCheckpoint(note);
  if (parsed === null) return failed('the checkpoint is not a well-formed signed note');
  const { checkpoint } = parsed;
  if (checkpoint.size !== size)
    return failed(`the checkpoint is of ${checkpoint.size} leaves, the proof of ${size}`);
  const leaf = leafHash(sealLeaf(bundle.run_id, bundle.seal));
  const path = proof.map((hash) => Buffer.from(hash, 'base64'));
  if (!verifyInclusion(leaf, index, size, path, checkpoint.root))
    return failed(`the proof does not show the seal at leaf ${index} of ${size}`);
  if (trustRoot === null)
    return {
      name,
      ok: 'n/a',
      detail: `leaf ${index} of ${size}, but no trust root to check the checkpoint by`,
    };
  if (checkpoint.origin !== trustRoot.log_origin)
    return failed(
      `the checkpoint is of log ${JSON.stringify(checkpoint.origin)}, trusted is ${JSON.stringify(trustRoot.log_origin)}`,
    );
  if (sealedAt === null) return failed('the seal states no time to judge the log key by');
  const problem = noteProblem(parsed.note, trustRoot, sealedAt);
  return problem === null ? { name, ok: true, detail: `leaf ${index} of ${size}` } : failed(problem);
}

/**
 * Null when a key of the trust root signed the note under the log's name. As C2SP signed-note has it,
 * lines of unknown keys are ignored, and a line that names a known key must verify.
 */
function noteProblem(note: SignedNote, trustRoot: TrustRoot, sealedAt: number): string | null {
  const bytes = Buffer.from(note.text, 'utf8');
  let refusal: string | null = null;
  let isSigned = false;
  for (const keyid of Object.keys(trustRoot.keys)) {
    const found = trustedKey(trustRoot, keyid, 'log');
    if ('refused' in found || found.entry.alg !== 'ed25519') continue;
    const id = noteKeyId(trustRoot.log_origin, rawEd25519(found.key));
    for (const line of note.signatures) {
      if (line.name !== trustRoot.log_origin || line.keyId !== id) continue;
      if (!isSignatureOf(found.key, 'ed25519', bytes, line.signature))
        return `the checkpoint's signature is not by key ${JSON.stringify(keyid)}`;
      const problem = periodProblem(found.entry, 'log', sealedAt);
      if (problem === null) isSigned = true;
      else refusal ??= `the checkpoint's key ${JSON.stringify(keyid)} ${problem}`;
    }
  }
  if (isSigned) return null;
  return refusal ?? 'the checkpoint is signed by no key of the trust root';
}

import type { Check, EvidenceBundle, TrustRoot } from '@palisade/contracts';
import { parseCheckpoint } from '../log/checkpoint.ts';
import type { SignedNote } from '../log/signed-note.ts';
import { cosignedAt, isLineOf } from '../witness/cosignature.ts';
import { parseVerifierKey } from '../witness/verifier-key.ts';

/** The row `witness`, and whether what is wrong is only that something is missing. */
export interface WitnessCheck {
  readonly row: Check;
  readonly isMissing: boolean;
}

/**
 * Cosignatures of the checkpoint by witnesses of the trust root (C2SP tlog-cosignature): each says that it
 * saw this log grow without ever taking anything back. As signed notes have it, lines of unknown keys are
 * ignored, and a line that names a known key must verify. Witnesses are counted by name.
 */
export function checkWitness(
  bundle: EvidenceBundle,
  trustRoot: TrustRoot | null,
  isIncluded: boolean,
): WitnessCheck {
  const row = (ok: Check['ok'], detail: string, isMissing = false): WitnessCheck => ({
    row: { name: 'witness', ok, detail },
    isMissing,
  });
  const trusted = trustRoot?.witnesses;
  const note = parseCheckpoint(bundle.log.checkpoint)?.note;
  if (trusted === undefined) {
    const others = (note?.signatures.length ?? 1) - 1;
    return row(
      'n/a',
      others > 0
        ? `none configured; ${others} further signature(s) on the checkpoint not checked`
        : 'none configured',
    );
  }
  if (note === undefined || !isIncluded)
    return row(false, 'the cosignatures are of a checkpoint that does not commit to the seal');
  const { seen, problem } = cosigners(note, trusted.keys);
  if (problem !== null) return row(false, problem);
  const who = [...seen].map(([name, at]) => `${name} ${new Date(at * 1_000).toISOString()}`).join(', ');
  const count = `${seen.size} of ${trusted.needed} needed`;
  return seen.size >= trusted.needed
    ? row(true, `${count}: ${who}`)
    : row(false, seen.size === 0 ? count : `${count}: ${who}`, true);
}

function cosigners(
  note: SignedNote,
  keys: readonly string[],
): { readonly seen: ReadonlyMap<string, number>; readonly problem: string | null } {
  const seen = new Map<string, number>();
  for (const witness of keys.map(parseVerifierKey))
    for (const line of note.signatures) {
      if (!isLineOf(line, witness)) continue;
      const at = cosignedAt(line, note.text, witness);
      if (at === null) return { seen, problem: `the cosignature of ${witness.name} is not by its key` };
      seen.set(witness.name, Math.min(at, seen.get(witness.name) ?? at));
    }
  return { seen, problem: null };
}

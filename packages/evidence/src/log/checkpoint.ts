import type { Signer } from '../keys/signer.ts';
import { parseNote, type SignedNote, signNote } from './signed-note.ts';

/** The head of a log: C2SP tlog-checkpoint without extension lines. */
export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Buffer;
}

/** A checkpoint as a signed note whose key is named after the log. */
export function signCheckpoint(checkpoint: Checkpoint, signer: Signer): Promise<string> {
  const text = `${checkpoint.origin}\n${checkpoint.size}\n${checkpoint.root.toString('base64')}\n`;
  return signNote(text, checkpoint.origin, signer);
}

/** Reads a checkpoint without checking any signature; null when malformed or with extension lines. */
export function parseCheckpoint(
  note: string,
): { readonly checkpoint: Checkpoint; readonly note: SignedNote } | null {
  const signed = parseNote(note);
  if (signed === null) return null;
  const [origin, size, root, end, ...rest] = signed.text.split('\n');
  if (origin === undefined || origin === '' || end !== '' || rest.length > 0) return null;
  if (size === undefined || root === undefined || !/^(?:0|[1-9][0-9]{0,15})$/.test(size)) return null;
  const hash = Buffer.from(root, 'base64');
  if (!Number.isSafeInteger(Number(size)) || hash.length !== 32 || hash.toString('base64') !== root)
    return null;
  return { checkpoint: { origin, size: Number(size), root: hash }, note: signed };
}

/**
 * A well-formed note with its first signature alone, which is the log's own: what a timestamp is made of.
 * Cosignatures come later and say their own time.
 */
export function withoutCosignatures(note: string): string {
  const blank = note.lastIndexOf('\n\n');
  return note.slice(0, note.indexOf('\n', blank + 2) + 1);
}

import { PalisadeError } from '@palisade/contracts';
import { isSignatureOf, rawEd25519, readPublicKey } from '../keys/public-key.ts';
import type { Signer } from '../keys/signer.ts';
import {
  NOTE_KEY_TYPE,
  noteKeyId,
  type NoteSignature,
  parseNote,
  signatureLine,
} from '../log/signed-note.ts';
import type { VerifierKey } from './verifier-key.ts';

const TIMESTAMP_BYTES = 8;

/** The bytes an Ed25519 cosignature covers (C2SP tlog-cosignature, `cosignature/v1`): its time and the whole text of the note. */
function message(text: string, seconds: bigint): Buffer {
  return Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`, 'utf8');
}

/** Cosigns a checkpoint's text at a time (Unix seconds) as the witness called `name`; gives the note's signature line. */
export async function cosignCheckpoint(
  text: string,
  name: string,
  signer: Signer,
  seconds: number,
): Promise<string> {
  const key = signer.alg === 'ed25519' ? readPublicKey(signer.publicKeySpkiDer, 'ed25519') : null;
  if (key === null) throw new PalisadeError('invalid_input', 'a witness signs with an Ed25519 key');
  const time = Buffer.alloc(TIMESTAMP_BYTES);
  time.writeBigUInt64BE(BigInt(seconds));
  const signature = await signer.sign(message(text, BigInt(seconds)));
  const keyId = noteKeyId(name, rawEd25519(key), NOTE_KEY_TYPE.cosignature);
  return signatureLine(name, keyId, Buffer.concat([time, signature]));
}

/** True when a line names this witness's key; such a line must verify. */
export function isLineOf(line: NoteSignature, witness: VerifierKey): boolean {
  return line.name === witness.name && line.keyId === witness.keyId;
}

/** The time (Unix seconds) at which a witness cosigned the text by this line, or null when the line is not its cosignature. */
export function cosignedAt(line: NoteSignature, text: string, witness: VerifierKey): number | null {
  if (witness.type !== NOTE_KEY_TYPE.cosignature || !isLineOf(line, witness)) return null;
  const { signature } = line;
  if (signature.length !== TIMESTAMP_BYTES + 64) return null;
  const seconds = signature.readBigUInt64BE(0);
  // A date that JavaScript cannot hold is no time anybody cosigned at.
  if (seconds > 8_640_000_000_000n) return null;
  const isSigned = isSignatureOf(
    witness.key,
    'ed25519',
    message(text, seconds),
    signature.subarray(TIMESTAMP_BYTES),
  );
  return isSigned ? Number(seconds) : null;
}

/** The line in a witness's answer that is its cosignature of a checkpoint (a signed note), with its newline; null when there is none. */
export function cosignatureIn(answer: string, checkpoint: string, witness: VerifierKey): string | null {
  const text = parseNote(checkpoint)?.text;
  if (text === undefined) return null;
  for (const line of answer.split('\n')) {
    const parsed = parseNote(`${text}\n${line}\n`);
    const [signature] = parsed?.text === text ? parsed.signatures : [];
    if (signature !== undefined && cosignedAt(signature, text, witness) !== null) return `${line}\n`;
  }
  return null;
}

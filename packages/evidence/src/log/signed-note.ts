import { PalisadeError } from '@palisade/contracts';
import { readPublicKey, rawEd25519 } from '../keys/public-key.ts';
import type { Signer } from '../keys/signer.ts';
import { sha256 } from '../merkle/merkle-hash.ts';

/** Signature type of plain Ed25519 notes (C2SP signed-note). */
const ED25519_TYPE = 0x01;
/** Signature lines read from one note; more is refused (C2SP signed-note asks for at least 16). */
const MAX_SIGNATURES = 32;

export interface NoteSignature {
  readonly name: string;
  /** The 32-bit key id, big-endian. */
  readonly keyId: number;
  readonly signature: Buffer;
}

export interface SignedNote {
  /** The signed text, with its final newline. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

/** `SHA-256(name ‖ 0x0A ‖ 0x01 ‖ raw public key)[:4]` (C2SP signed-note). */
export function noteKeyId(name: string, rawPublicKey: Uint8Array): number {
  const input = Buffer.concat([Buffer.from(`${name}\n`, 'utf8'), Buffer.from([ED25519_TYPE]), rawPublicKey]);
  return sha256(input).readUInt32BE(0);
}

/** Signs a note's text (which must end in a newline) as the key called `name`. */
export async function signNote(text: string, name: string, signer: Signer): Promise<string> {
  const key = signer.alg === 'ed25519' ? readPublicKey(signer.publicKeySpkiDer, 'ed25519') : null;
  if (key === null) throw new PalisadeError('invalid_input', 'a log is signed with an Ed25519 key');
  const id = Buffer.alloc(4);
  id.writeUInt32BE(noteKeyId(name, rawEd25519(key)));
  const signature = await signer.sign(Buffer.from(text, 'utf8'));
  return `${text}\n\u2014 ${name} ${Buffer.concat([id, signature]).toString('base64')}\n`;
}

/** Splits a note into text and signatures; null when it is not a well-formed note. Trusts nothing. */
export function parseNote(note: string): SignedNote | null {
  // oxlint-disable-next-line no-control-regex -- a note may hold no control character but newline
  if (!note.isWellFormed() || /[\u0000-\u0009\u000b-\u001f]/.test(note)) return null;
  const blank = note.lastIndexOf('\n\n');
  if (blank <= 0 || !note.endsWith('\n')) return null;
  const text = note.slice(0, blank + 1);
  const lines = note.slice(blank + 2, -1).split('\n');
  if (lines.length > MAX_SIGNATURES) return null;
  const signatures: NoteSignature[] = [];
  for (const line of lines) {
    const parts = /^\u2014 ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/u.exec(line);
    const [, name, base64] = parts ?? [];
    if (name === undefined || base64 === undefined) return null;
    const bytes = Buffer.from(base64, 'base64');
    if (bytes.length < 5 || bytes.toString('base64') !== base64) return null;
    signatures.push({ name, keyId: bytes.readUInt32BE(0), signature: bytes.subarray(4) });
  }
  return { text, signatures };
}

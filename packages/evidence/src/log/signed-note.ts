import { PalisadeError } from '@palisade/contracts';
import { readPublicKey, rawEd25519 } from '../keys/public-key.ts';
import type { Signer } from '../keys/signer.ts';
import { sha256 } from '../merkle/merkle-hash.ts';

/** Signature types of keys: plain Ed25519 notes (C2SP signed-note) and timestamped cosignatures (C2SP tlog-cosignature). */
export const NOTE_KEY_TYPE = { ed25519: 0x01, cosignature: 0x04 } as const;
export type NoteKeyType = (typeof NOTE_KEY_TYPE)[keyof typeof NOTE_KEY_TYPE];
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

/** `SHA-256(name ‖ 0x0A ‖ type ‖ raw public key)[:4]` (C2SP signed-note). */
export function noteKeyId(
  name: string,
  rawPublicKey: Uint8Array,
  type: NoteKeyType = NOTE_KEY_TYPE.ed25519,
): number {
  const input = Buffer.concat([Buffer.from(`${name}\n`, 'utf8'), Buffer.from([type]), rawPublicKey]);
  return sha256(input).readUInt32BE(0);
}

/** One signature line of a note, with its newline: the key's name, and its id before the signature. */
export function signatureLine(name: string, keyId: number, signature: Uint8Array): string {
  const id = Buffer.alloc(4);
  id.writeUInt32BE(keyId);
  return `\u2014 ${name} ${Buffer.concat([id, signature]).toString('base64')}\n`;
}

/** Signs a note's text (which must end in a newline) as the key called `name`. */
export async function signNote(text: string, name: string, signer: Signer): Promise<string> {
  const key = signer.alg === 'ed25519' ? readPublicKey(signer.publicKeySpkiDer, 'ed25519') : null;
  if (key === null) throw new PalisadeError('invalid_input', 'a log is signed with an Ed25519 key');
  const signature = await signer.sign(Buffer.from(text, 'utf8'));
  return `${text}\n${signatureLine(name, noteKeyId(name, rawEd25519(key)), signature)}`;
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

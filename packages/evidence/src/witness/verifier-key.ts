import { createPublicKey, type KeyObject } from 'node:crypto';
import { PalisadeError } from '@palisade/contracts';
import { NOTE_KEY_TYPE, noteKeyId, type NoteKeyType } from '../log/signed-note.ts';

/** A public key under its name, as C2SP signed-note writes it: `<name>+<key id, hex>+<base64(type ‖ key)>`. */
export interface VerifierKey {
  readonly name: string;
  readonly type: NoteKeyType;
  readonly keyId: number;
  /** The 32 bytes of the Ed25519 key. */
  readonly raw: Buffer;
  readonly key: KeyObject;
}

/** SubjectPublicKeyInfo of an Ed25519 key up to its 32 bytes (RFC 8410 §4). */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

/** Reads a verifier key of an Ed25519 log or witness. Raises `invalid_input` for anything else. */
export function parseVerifierKey(text: string): VerifierKey {
  const parts = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/u.exec(text);
  const [, name = '', id = '', base64 = ''] = parts ?? [];
  const bytes = Buffer.from(base64, 'base64');
  const type = Object.values(NOTE_KEY_TYPE).find((known) => known === bytes[0]);
  const raw = bytes.subarray(1);
  const isKey = type !== undefined && raw.length === 32 && bytes.toString('base64') === base64;
  if (!isKey || noteKeyId(name, raw, type) !== Number.parseInt(id, 16))
    throw new PalisadeError('invalid_input', 'not a verifier key of an Ed25519 key: name+id+key');
  const key = createPublicKey({ key: Buffer.concat([SPKI_HEAD, raw]), format: 'der', type: 'spki' });
  return { name, type, keyId: Number.parseInt(id, 16), raw, key };
}

/** Writes a verifier key. */
export function formatVerifierKey(name: string, rawPublicKey: Uint8Array, type: NoteKeyType): string {
  const id = noteKeyId(name, rawPublicKey, type).toString(16).padStart(8, '0');
  return `${name}+${id}+${Buffer.concat([Buffer.from([type]), rawPublicKey]).toString('base64')}`;
}

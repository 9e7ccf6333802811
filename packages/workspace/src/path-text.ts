import { isUtf8 } from 'node:buffer';
import { PalisadeError } from '@palisade/contracts';

/*
 * A file name is bytes. On every surface it has one text form (FF-013): the decoded characters when
 * the bytes are UTF-8, else the name between double quotes with `\\`, `\"` and `\ooo` for each byte
 * outside printable ASCII. A UTF-8 name that itself starts with a double quote is quoted too, so
 * the form can always be turned back into the same bytes.
 */

/** The text form of a name. */
export function pathText(name: Uint8Array): string {
  const bytes = Buffer.from(name.buffer, name.byteOffset, name.byteLength);
  if (isUtf8(bytes) && bytes[0] !== 0x22) return bytes.toString('utf8');
  let out = '"';
  for (const byte of bytes) {
    if (byte === 0x22 || byte === 0x5c) out += `\\${String.fromCharCode(byte)}`;
    else if (byte >= 0x20 && byte < 0x7f) out += String.fromCharCode(byte);
    else out += `\\${byte.toString(8).padStart(3, '0')}`;
  }
  return `${out}"`;
}

/** The bytes of a name in its text form. `invalid_input` when a quoted form is malformed. */
export function pathBytes(text: string): Buffer {
  if (!text.startsWith('"')) return Buffer.from(text, 'utf8');
  const { name, end } = unquote(Buffer.from(text, 'utf8'), 0);
  if (end !== Buffer.byteLength(text)) throw malformed();
  return name;
}

const ESCAPES: Readonly<Record<string, number>> = {
  a: 0x07,
  b: 0x08,
  t: 0x09,
  n: 0x0a,
  v: 0x0b,
  f: 0x0c,
  r: 0x0d,
  '"': 0x22,
  '\\': 0x5c,
};

/** Reads a C-quoted name that starts at `start`, byte by byte (FF-005). `end` is the place behind its closing quote. */
export function unquote(bytes: Buffer, start: number): { name: Buffer; end: number } {
  const out: number[] = [];
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === 0x22) return { name: Buffer.from(out), end: at + 1 };
    if (byte !== 0x5c) {
      out.push(byte);
      continue;
    }
    const octal = /^[0-3][0-7]{2}/.exec(bytes.toString('latin1', at + 1, at + 4));
    if (octal !== null) {
      out.push(Number.parseInt(octal[0], 8));
      at += 3;
      continue;
    }
    const escaped = ESCAPES[String.fromCharCode(bytes[at + 1] ?? 0)];
    if (escaped === undefined) throw malformed();
    out.push(escaped);
    at++;
  }
  throw malformed();
}

function malformed(): PalisadeError {
  return new PalisadeError('invalid_input', 'a quoted file name is malformed');
}

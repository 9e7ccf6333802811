import { hash } from 'node:crypto';

/** SHA-256 of any bytes, as 32 bytes. */
export function sha256(bytes: Uint8Array): Buffer {
  return hash('sha256', bytes, 'buffer');
}

/** `SHA-256(0x00 ‖ data)` (RFC 9162 §2.1.1). */
export function leafHash(data: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(data.length + 1);
  bytes[0] = 0;
  bytes.set(data, 1);
  return sha256(bytes);
}

/** `SHA-256(0x01 ‖ left ‖ right)` (RFC 9162 §2.1.1). */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(65);
  bytes[0] = 1;
  bytes.set(left, 1);
  bytes.set(right, 33);
  return sha256(bytes);
}

/** Tree hash of no leaves: SHA-256 of nothing (RFC 9162 §2.1.1). */
export function emptyRoot(): Buffer {
  return sha256(new Uint8Array());
}

/** What Argon2id is asked for (RFC 9106 §3.1). */
export interface Derivation {
  readonly password: Uint8Array;
  readonly salt: Uint8Array;
  readonly memoryKib: number;
  readonly passes: number;
  readonly lanes: number;
  readonly bytes: number;
}

/** AC-035. */
const PARAMETERS = { memoryKib: 19_456, passes: 2, lanes: 1, bytes: 32 } as const;

/** What derives the key of a new password. */
export function derivationOf(password: string, salt: Uint8Array): Derivation {
  return { password: bytesOf(password), salt, ...PARAMETERS };
}

/** A key in the form that names how it was derived: `$argon2id$v=19$m=…,t=…,p=…$salt$key`. */
export function formatHash({ salt, memoryKib, passes, lanes }: Derivation, key: Uint8Array): string {
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=${lanes}$${base64(salt)}$${base64(key)}`;
}

const STORED =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

/** How a stored key was derived, for another password; null when it is no hash of this kind. */
export function derivationLike(
  hash: string,
  password: string,
): { readonly derivation: Derivation; readonly key: Buffer } | null {
  const [, memory, passes, lanes, salt = '', key = ''] = STORED.exec(hash) ?? [];
  if (memory === undefined) return null;
  const expected = Buffer.from(key, 'base64');
  return {
    derivation: {
      password: bytesOf(password),
      salt: Uint8Array.from(Buffer.from(salt, 'base64')),
      memoryKib: Number(memory),
      passes: Number(passes),
      lanes: Number(lanes),
      bytes: expected.byteLength,
    },
    key: expected,
  };
}

/** The same characters are the same password, however a keyboard composes them (RFC 8265 §4.2.1). */
function bytesOf(password: string): Uint8Array {
  return new TextEncoder().encode(password.normalize('NFC'));
}

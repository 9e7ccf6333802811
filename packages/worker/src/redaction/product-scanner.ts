import { open } from 'node:fs/promises';
import { type SecretForm, secretForms } from './secret-forms.ts';

/** A value shorter than this could stand in a product by chance. */
const MIN_PRODUCT_SECRET_CHARS = 8;
const PIECE_BYTES = 1024 * 1024;

/** Where the name, never the value, of a secret was found. */
export interface SecretFinding {
  readonly secret: string;
  /** Offset in bytes of its first occurrence. */
  readonly offset: number;
}

/**
 * Finds secrets in products. A product is bytes that others apply and hash, so it is never altered:
 * one that holds a secret is withheld.
 */
export class ProductScanner {
  readonly #forms: readonly (SecretForm & { readonly buffer: Buffer })[];
  readonly #longest: number;

  /** @param secrets name → value */
  constructor(secrets: Readonly<Record<string, string>>) {
    this.#forms = Object.entries(secrets)
      .filter(([, value]) => value.length >= MIN_PRODUCT_SECRET_CHARS)
      .flatMap(([name, value]) => secretForms(name, value, 'key-material'))
      .map((form) => ({ ...form, buffer: Buffer.from(form.bytes, 'latin1') }));
    this.#longest = this.#forms.reduce((most, form) => Math.max(most, form.buffer.length), 0);
  }

  /** The first secret in some bytes, or null. */
  find(bytes: Buffer): SecretFinding | null {
    let first: SecretFinding | null = null;
    for (const { name, buffer } of this.#forms) {
      const offset = bytes.indexOf(buffer);
      if (offset !== -1 && (first === null || offset < first.offset)) first = { secret: name, offset };
    }
    return first;
  }

  /** The first secret in a file of any size, or null. Values that lie across two pieces are found. */
  async findInFile(path: string): Promise<SecretFinding | null> {
    if (this.#forms.length === 0) return null;
    const file = await open(path, 'r');
    try {
      let held: Buffer = Buffer.alloc(0);
      let start = 0;
      for (;;) {
        const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(PIECE_BYTES), 0, PIECE_BYTES);
        if (bytesRead === 0) return null;
        const bytes = Buffer.concat([held, buffer.subarray(0, bytesRead)]);
        const found = this.find(bytes);
        if (found !== null) return { secret: found.secret, offset: start + found.offset };
        held = bytes.subarray(Math.max(0, bytes.length - this.#longest + 1));
        start += bytes.length - held.length;
      }
    } finally {
      await file.close();
    }
  }
}

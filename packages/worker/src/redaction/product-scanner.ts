import { createReadStream, fstatSync } from 'node:fs';
import { SecretFinder } from './secret-finder.ts';
import { secretForms } from './secret-forms.ts';

const PIECE_BYTES = 1024 * 1024;

/** An open file in pieces, up to the size it has now: one that grows meanwhile has an end all the same. Closes it. */
export function piecesOf(fd: number): AsyncIterable<Buffer> {
  const end = Math.max(0, fstatSync(fd).size - 1);
  return createReadStream('', { fd, start: 0, end, highWaterMark: PIECE_BYTES });
}

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
  readonly #finder: SecretFinder;
  readonly #longest: number;

  /** @param secrets name → value */
  constructor(secrets: Readonly<Record<string, string>>) {
    const forms = Object.entries(secrets).flatMap(([name, value]) =>
      secretForms(name, value, 'key-material'),
    );
    this.#finder = new SecretFinder(forms);
    // Twice, for the line breaks a form may hold.
    this.#longest = 2 * forms.reduce((most, form) => Math.max(most, form.bytes.length), 0);
  }

  /** True when there is nothing to look for. */
  get isIdle(): boolean {
    return this.#finder.isIdle;
  }

  /** The first secret in some bytes, or null. */
  find(bytes: Buffer): SecretFinding | null {
    const first = this.#finder.find(bytes)[0];
    return first === undefined ? null : { secret: first.name, offset: first.start };
  }

  /** The first secret in a file of any size, or null. */
  async findInFile(path: string): Promise<SecretFinding | null> {
    return this.isIdle ? null : this.findInPieces(createReadStream(path, { highWaterMark: PIECE_BYTES }));
  }

  /** The first secret in what an open file holds now, or null. Closes it. */
  async findInOpenFile(fd: number): Promise<SecretFinding | null> {
    return this.findInPieces(piecesOf(fd));
  }

  /** The first secret in bytes that come in pieces, or null. Values that lie across two pieces are found. */
  async findInPieces(pieces: AsyncIterable<Buffer>): Promise<SecretFinding | null> {
    let held: Buffer = Buffer.alloc(0);
    let start = 0;
    for await (const piece of pieces) {
      const bytes = Buffer.concat([held, piece]);
      const found = this.find(bytes);
      if (found !== null) return { secret: found.secret, offset: start + found.offset };
      held = bytes.subarray(Math.max(0, bytes.length - this.#longest));
      start += bytes.length - held.length;
    }
    return null;
  }
}

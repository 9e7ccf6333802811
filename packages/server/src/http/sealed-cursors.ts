import { createHmac, timingSafeEqual } from 'node:crypto';
import { invalidCursor, isPaged, type Operation } from '@palisade/contracts';
import { type Database, installationKey } from '@palisade/kernel';

const MAC_BYTES = 16;

/**
 * Cursors as callers from outside see them: base64url of an HMAC-SHA-256, cut to 16 bytes, and of where the list goes on (EX-021). It is
 * bound to the operation and the project, so that what one list gave is good for no other, and what nobody was given for none. Every
 * replica on a database takes what another one gave.
 */
export class SealedCursors {
  readonly #database: Database;
  #key: Promise<Buffer> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The input as a handler takes it. Raises `invalid_cursor`. */
  async opened(operation: Operation, project: string | null, input: unknown): Promise<unknown> {
    if (!isPaged(operation) || typeof input !== 'object' || input === null) return input;
    const { cursor } = input as { readonly cursor?: unknown };
    if (typeof cursor !== 'string') return input;
    const bytes = Buffer.from(cursor, 'base64url');
    const position = bytes.subarray(MAC_BYTES);
    const isOurs =
      bytes.length > MAC_BYTES &&
      bytes.toString('base64url') === cursor &&
      timingSafeEqual(bytes.subarray(0, MAC_BYTES), await this.#mac(operation, project, position));
    if (!isOurs) throw invalidCursor();
    return { ...input, cursor: position.toString() };
  }

  /** The answer as it is told. */
  async sealed(operation: Operation, project: string | null, answer: unknown): Promise<unknown> {
    if (!isPaged(operation) || typeof answer !== 'object' || answer === null) return answer;
    const { next_cursor: cursor } = answer as { readonly next_cursor?: unknown };
    if (typeof cursor !== 'string') return answer;
    const position = Buffer.from(cursor);
    const mac = await this.#mac(operation, project, position);
    return { ...answer, next_cursor: Buffer.concat([mac, position]).toString('base64url') };
  }

  async #mac({ id }: Operation, project: string | null, position: Uint8Array): Promise<Buffer> {
    this.#key ??= installationKey(this.#database, 'cursors').catch((error: unknown) => {
      this.#key = undefined;
      throw error;
    });
    const mac = createHmac('sha256', await this.#key);
    // Neither an operation's id nor a project's key holds a NUL.
    return mac
      .update(`palisade/cursor/1\0${id}\0${project ?? ''}\0`)
      .update(position)
      .digest()
      .subarray(0, MAC_BYTES);
  }
}

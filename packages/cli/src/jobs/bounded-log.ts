import { closeSync, openSync, writeSync } from 'node:fs';
import type { Readable } from 'node:stream';

/** Keeps the beginning of an output in a file that only its owner reads, and throws the rest away: the process never waits for it. */
export class BoundedLog {
  readonly #file: number | undefined;
  #left: number;

  /** Makes the file, unless nothing is to be kept. Raises the system's error, also where there is one already. */
  constructor(path: string, maxBytes: number) {
    this.#left = maxBytes;
    this.#file = maxBytes === 0 ? undefined : openSync(path, 'wx', 0o600);
  }

  take(output: Readable): void {
    output.on('error', () => {});
    output.on('data', (chunk: Buffer) => {
      if (this.#file === undefined || this.#left === 0) return;
      const part = chunk.subarray(0, this.#left);
      try {
        writeSync(this.#file, part);
        this.#left -= part.length;
      } catch {
        // On a full disk the process goes on, and its log ends here.
        this.#left = 0;
      }
    });
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }
}

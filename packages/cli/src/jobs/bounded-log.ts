import { closeSync, openSync, writeSync } from 'node:fs';
import type { Readable } from 'node:stream';

/** Keeps the beginning of an output in a file that only its owner reads, and throws the rest away: the process never waits for it. */
export class BoundedLog {
  #file: number | undefined;
  #left: number;
  #output: Readable | undefined;

  /** Makes the file, unless nothing is to be kept. Raises the system's error, also where there is one already. */
  constructor(path: string, maxBytes: number) {
    this.#left = maxBytes;
    this.#file = maxBytes === 0 ? undefined : openSync(path, 'wx', 0o600);
  }

  take(output: Readable): void {
    this.#output = output;
    output.on('error', () => {});
    output.on('data', (chunk: Buffer) => this.#write(chunk.subarray(0, this.#left)));
  }

  /** Takes nothing more, whoever still writes: the number of the file may be that of another one from now on. */
  close(): void {
    this.#output?.destroy();
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #write(part: Buffer): void {
    try {
      // A disk that fills up takes some of it first.
      for (let at = 0; this.#file !== undefined && at < part.length; ) {
        const written = writeSync(this.#file, part, at);
        at += written;
        this.#left -= written;
      }
    } catch {
      // On a full disk the process goes on, and its log ends here.
      this.#left = 0;
    }
  }
}

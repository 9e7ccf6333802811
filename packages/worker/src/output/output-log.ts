import { closeSync, openSync, writeSync } from 'node:fs';
import type { OutputLine } from '@palisade/contracts';
import type { RedactionStream, Redactor } from '../redaction/redactor.ts';
import { LineSplitter } from './line-splitter.ts';

/** Longest `output.log` in bytes; phases and warnings may still be written a little beyond it. */
export const MAX_LOG_BYTES = 64 * 1024 * 1024;
const RESERVE_BYTES = 1024 * 1024;
/** A pause after which a line no longer waits for what may follow it. */
const SETTLE_MS = 250;

/** Takes the output of one program. */
export interface BlockOutput {
  push(stream: 'stdout' | 'stderr', bytes: Uint8Array): void;
  /** Writes what is held back. Call it after the program's output has ended. */
  end(): void;
}

/**
 * `output.log`: one {@link OutputLine} per line of JSON, appended with one write each, so that another
 * process that follows the file sees every line as soon as it exists and never half of one that
 * a crash did not cut. Everything is redacted before it is written.
 *
 * A log that cannot be written is not lost silently (FF-069): `onFailure` is called once.
 */
export class OutputLog {
  readonly #file: number;
  readonly #redactor: Redactor;
  readonly #maxBytes: number;
  readonly #onFailure: (error: unknown) => void;
  #size = 0;
  #dropped = 0;
  #state: 'open' | 'failed' | 'closed' = 'open';

  constructor(
    path: string,
    redactor: Redactor,
    onFailure: (error: unknown) => void,
    maxBytes: number = MAX_LOG_BYTES,
  ) {
    this.#file = openSync(path, 'a', 0o644);
    this.#redactor = redactor;
    this.#onFailure = onFailure;
    this.#maxBytes = maxBytes;
  }

  /** Says how far the attempt is. */
  phase(phase: string, detail?: string): void {
    this.#note({
      at: Date.now(),
      kind: 'phase',
      phase,
      ...(detail === undefined ? {} : { detail: this.#redactor.text(detail) }),
    });
  }

  warning(text: string): void {
    this.#note({ at: Date.now(), kind: 'warning', text: this.#redactor.text(text) });
  }

  /** Something the agent said, for people. */
  message(text: string): void {
    this.#output({ at: Date.now(), kind: 'message', text: this.#redactor.text(text) });
  }

  /** Opens the output of one program; each of its streams is cut into lines and redacted on its own. */
  block(block: string): BlockOutput {
    const open = (kind: 'stdout' | 'stderr'): { clean: RedactionStream; lines: LineSplitter } => ({
      clean: this.#redactor.stream(),
      lines: new LineSplitter((line) =>
        // A byte order mark is a character like another here.
        this.#output({ at: Date.now(), kind, block, text: decode(line) }),
      ),
    });
    const streams = { stdout: open('stdout'), stderr: open('stderr') };
    let pause: NodeJS.Timeout | undefined;
    return {
      push: (stream, bytes) => {
        // Nothing after the first dropped line is ever written: a flood is only counted.
        if (this.#dropped > 0) {
          this.#dropped += bytes.length;
          return;
        }
        const { clean, lines } = streams[stream];
        lines.push(clean.push(bytes));
        clearTimeout(pause);
        pause = setTimeout(() => {
          for (const each of Object.values(streams)) each.lines.push(each.clean.settle());
        }, SETTLE_MS);
        pause.unref();
      },
      end: () => {
        clearTimeout(pause);
        for (const { clean, lines } of Object.values(streams)) {
          lines.push(clean.end());
          lines.end();
        }
      },
    };
  }

  /** Ends the file; lines that come later are ignored. */
  close(): void {
    if (this.#state === 'closed') return;
    if (this.#dropped > 0)
      this.warning(`${this.#dropped} bytes of output were dropped at the limit of output.log`);
    this.#state = 'closed';
    closeSync(this.#file);
  }

  #output(line: OutputLine): void {
    const bytes = encode(line);
    if (this.#dropped === 0 && this.#size + bytes.length <= this.#maxBytes) {
      this.#write(bytes);
      return;
    }
    const isFirst = this.#dropped === 0;
    this.#dropped += bytes.length;
    if (isFirst)
      this.warning(`output.log reached its limit of ${this.#maxBytes} bytes; later output is dropped`);
  }

  #note(line: OutputLine): void {
    const bytes = encode(line);
    if (this.#size + bytes.length <= this.#maxBytes + RESERVE_BYTES) this.#write(bytes);
  }

  #write(bytes: Buffer): void {
    if (this.#state !== 'open') return;
    try {
      let written = 0;
      // A short write is continued (FF-079).
      while (written < bytes.length) written += writeSync(this.#file, bytes, written);
      this.#size += bytes.length;
    } catch (error) {
      this.#state = 'failed';
      this.#onFailure(error);
    }
  }
}

function encode(line: OutputLine): Buffer {
  return Buffer.from(`${JSON.stringify(line)}\n`, 'utf8');
}

function decode(line: Buffer): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(line);
}

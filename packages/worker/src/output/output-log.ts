import { closeSync, openSync, writeSync } from 'node:fs';
import { limits, type OutputLine, truncateToJson } from '@palisade/contracts';
import type { RedactionStream, Redactor } from '../redaction/redactor.ts';
import { LineSplitter } from './line-splitter.ts';

/** Phases and warnings have room of their own, so that no flood of output hides them. */
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
 * Each stream is kept up to its own limit (DI-078): what a program floods on one never hides what it
 * says on the other. The line at the limit is cut between characters and says so; what comes later is
 * only counted, see {@link OutputLog.losses}.
 *
 * A log that cannot be written is not lost silently (FF-069): `onFailure` is called once.
 */
export class OutputLog {
  readonly #file: number;
  readonly #redactor: Redactor;
  readonly #onFailure: (error: unknown) => void;
  readonly #streams: Record<
    'stdout' | 'stderr',
    { readonly maxBytes: number; size: number; dropped: number }
  >;
  #noted = 0;
  #state: 'open' | 'failed' | 'closed' = 'open';

  constructor(
    path: string,
    redactor: Redactor,
    onFailure: (error: unknown) => void,
    maxBytes: number = limits.outputBytes,
  ) {
    this.#file = openSync(path, 'a', 0o644);
    this.#redactor = redactor;
    this.#onFailure = onFailure;
    const share = Math.ceil(maxBytes / limits.errorOutputShare);
    this.#streams = {
      stdout: { maxBytes, size: 0, dropped: 0 },
      stderr: { maxBytes: share, size: 0, dropped: 0 },
    };
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
        if (this.#streams[stream].dropped > 0) {
          this.#streams[stream].dropped += bytes.length;
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

  /** What was dropped at the limits, one sentence a stream, for people. */
  losses(): string[] {
    return Object.entries(this.#streams).flatMap(([stream, { maxBytes, dropped }]) =>
      dropped === 0
        ? []
        : [
            `${dropped} bytes of ${stream} were dropped: of it ${maxBytes} bytes are kept (sandbox.output_mb)`,
          ],
    );
  }

  /** Ends the file; lines that come later are ignored. */
  close(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    closeSync(this.#file);
  }

  #output(line: Extract<OutputLine, { kind: 'stdout' | 'stderr' | 'message' }>): void {
    const stream = this.#streams[line.kind === 'stderr' ? 'stderr' : 'stdout'];
    const bytes = encode(line);
    const room = stream.maxBytes - stream.size;
    if (stream.dropped === 0 && bytes.length <= room) {
      stream.size += bytes.length;
      this.#write(bytes);
      return;
    }
    let kept = 0;
    if (stream.dropped === 0) {
      const around = encode({ ...line, text: '' }).length;
      const text = truncateToJson(line.text, room - around);
      kept = Buffer.byteLength(text);
      this.#write(encode({ ...line, text }));
      this.warning(`what is kept of ${line.kind} ends here, at ${stream.maxBytes} bytes (sandbox.output_mb)`);
    }
    stream.dropped += Math.max(1, Buffer.byteLength(line.text) - kept);
  }

  #note(line: OutputLine): void {
    const bytes = encode(line);
    this.#noted += bytes.length;
    if (this.#noted <= RESERVE_BYTES) this.#write(bytes);
  }

  #write(bytes: Buffer): void {
    if (this.#state !== 'open') return;
    try {
      let written = 0;
      // A short write is continued (FF-079).
      while (written < bytes.length) written += writeSync(this.#file, bytes, written);
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

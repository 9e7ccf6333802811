import type { WriteStream } from 'node:tty';
import { shownLine } from './foreign-text.ts';

/** What a sink needs of a stream; `process.stdout` is one. */
export type Stream = NodeJS.WritableStream &
  Partial<Pick<WriteStream, 'isTTY' | 'columns' | 'rows' | 'getWindowSize'>>;

/**
 * Writes to standard output or standard error in order and to the last byte: a partial write to a
 * non-blocking pipe is continued by the stream, and `drained` resolves only when everything is out
 * (FF-079). A reader that closes early is no error: the sink becomes closed and swallows the rest.
 */
export class Sink {
  readonly #stream: Stream;
  readonly #closed = new AbortController();
  #last: Promise<void> = Promise.resolve();
  /** Whether text for it is painted: then colours pass. */
  isPainted = false;

  constructor(stream: Stream) {
    this.#stream = stream;
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // EPIPE: the reader went away. EIO: the terminal did.
      if (['EPIPE', 'EIO', 'ECONNRESET', 'ERR_STREAM_DESTROYED'].includes(error.code ?? ''))
        this.#closed.abort();
      else throw error;
    });
  }

  /** Where it writes, for a library that draws by itself. */
  get stream(): Stream {
    return this.#stream;
  }
  get isTty(): boolean {
    return this.#stream.isTTY === true;
  }
  /** Columns of the terminal, or undefined when there is none. */
  get columns(): number | undefined {
    return this.#size()?.[0];
  }
  get rows(): number | undefined {
    return this.#size()?.[1];
  }
  /** Asked afresh: what the stream remembers is old until the signal of a resize was handled. */
  #size(): readonly [number, number] | undefined {
    if (!this.isTty) return undefined;
    try {
      return this.#stream.getWindowSize?.();
    } catch {
      return undefined;
    }
  }
  /** Aborts when the reader has gone. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Writes bytes as they are: raw output that was asked for, and what draws on the terminal. Everything else is a {@link line}. */
  write(data: string | Uint8Array): void {
    if (this.#closed.signal.aborted) return;
    this.#last = new Promise((resolve) => {
      this.#stream.write(data, () => resolve());
    });
  }

  /** Writes everything that `chunks` gives, no faster than the reader takes it, and stops when the reader has gone. */
  async pour(chunks: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>): Promise<void> {
    for await (const chunk of chunks) {
      if (this.#closed.signal.aborted) return;
      this.write(chunk);
      await this.drained();
    }
  }

  /** Writes one line for people or programs; what it is made of may be foreign (see {@link shownLine}). */
  line(text = ''): void {
    this.write(`${this.shown(text)}\n`);
  }

  /** A line as it is shown here, for whoever writes it another way. */
  shown(text: string): string {
    return shownLine(text, this.isPainted);
  }

  /** Resolves when every byte written so far is out, or the reader has gone. */
  async drained(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    await Promise.race([
      this.#last,
      new Promise<void>((resolve) => {
        this.#closed.signal.addEventListener('abort', () => resolve(), { once: true });
      }),
    ]);
  }

  /** Calls back on every change of the terminal's size; returns how to stop. */
  onResize(listener: () => void): () => void {
    this.#stream.on('resize', listener);
    return () => this.#stream.removeListener('resize', listener);
  }
}

/** Which of a container's streams bytes belong to. */
export type OutputStream = 'stdout' | 'stderr';

const HEADER_BYTES = 8;
const STREAMS: Readonly<Record<number, OutputStream>> = { 1: 'stdout', 2: 'stderr' };

/**
 * Takes apart what the engine sends over an attached connection: frames of a stream's number, three zero
 * bytes, the length as 32 bits big-endian, and that many bytes. Chunks may end anywhere; bytes are passed
 * on as they come, so that a frame of any announced length costs no memory.
 */
export class FrameReader {
  readonly #take: (stream: OutputStream, bytes: Buffer) => void;
  readonly #header = Buffer.alloc(HEADER_BYTES);
  #headerBytes = 0;
  /** Bytes of the frame under way that have not come yet. */
  #missing = 0;
  #stream: OutputStream = 'stdout';

  constructor(take: (stream: OutputStream, bytes: Buffer) => void) {
    this.#take = take;
  }

  /** True when nothing is missing of the last frame: only then is an end of the connection a whole end. */
  get isBetweenFrames(): boolean {
    return this.#headerBytes === 0 && this.#missing === 0;
  }

  /** Returns false when the bytes are no frames; nothing more must be read then. */
  read(chunk: Buffer): boolean {
    for (let at = 0; at < chunk.length; ) {
      if (this.#missing > 0) {
        const part = chunk.subarray(at, at + this.#missing);
        at += part.length;
        this.#missing -= part.length;
        this.#take(this.#stream, part);
        continue;
      }
      const copied = chunk.copy(this.#header, this.#headerBytes, at, at + HEADER_BYTES - this.#headerBytes);
      at += copied;
      this.#headerBytes += copied;
      if (this.#headerBytes < HEADER_BYTES) return true;
      const stream = STREAMS[this.#header.readUInt8(0)];
      if (stream === undefined || this.#header.readUIntBE(1, 3) !== 0) return false;
      this.#stream = stream;
      this.#missing = this.#header.readUInt32BE(4);
      this.#headerBytes = 0;
    }
    return true;
  }
}

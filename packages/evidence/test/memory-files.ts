import type { NamedFiles } from '@palisade/contracts';
import type { LeafSource } from '../src/index.ts';

/** Named files in memory, with a record of what was read and written in which order. */
export class MemoryFiles implements NamedFiles {
  readonly files = new Map<string, Buffer>();
  readonly reads: string[] = [];
  readonly writes: string[] = [];
  /** Makes the write that many writes from now fail, as a crash would. */
  failAfter = Number.POSITIVE_INFINITY;

  async read(name: string): Promise<Buffer | null> {
    this.reads.push(name);
    return this.files.get(name) ?? null;
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    if (this.failAfter-- <= 0) throw new Error('crashed');
    this.writes.push(name);
    this.files.set(name, Buffer.from(bytes));
  }

  async remove(name: string): Promise<void> {
    for (const stored of this.files.keys())
      if (stored === name || stored.startsWith(`${name}/`)) this.files.delete(stored);
  }
}

/** A log's entries in memory. */
export class MemoryLeaves implements LeafSource {
  readonly leaves: Buffer[] = [];

  async size(): Promise<number> {
    return this.leaves.length;
  }

  async read(from: number, count: number): Promise<readonly Uint8Array[]> {
    return this.leaves.slice(from, from + count);
  }
}

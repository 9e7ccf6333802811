import { evidenceLimits, PalisadeError } from '@palisade/contracts';
import { leafHash } from '../merkle/merkle-hash.ts';
import { joinSubtrees, rootOfHashes, subtreesOf } from '../merkle/proof.ts';
import { entryBundle, levelWidth, TILE_WIDTH, tilePath } from './tile.ts';

/** A file of the log: its name below the log's prefix and its bytes. */
export interface LogFile {
  readonly name: string;
  readonly bytes: Buffer;
}

/**
 * The right edge of a tiled log: for each level the hashes of its unfinished tile, and the entries
 * of the unfinished bundle. That is all that is needed to append, whatever the log's size: at most
 * 255 hashes for each of `log256(size)` levels.
 */
export class TileFrontier {
  #size: number;
  readonly #edges: Buffer[][];
  #entries: Buffer[];

  constructor(size = 0, edges: readonly (readonly Buffer[])[] = [], entries: readonly Buffer[] = []) {
    this.#size = size;
    this.#edges = edges.map((edge) => [...edge]);
    this.#entries = [...entries];
    this.#check();
  }

  get size(): number {
    return this.#size;
  }

  /** Appends leaves and returns the tiles and bundles that became full by it. */
  append(leaves: readonly Uint8Array[]): LogFile[] {
    const files: LogFile[] = [];
    for (const leaf of leaves) {
      if (leaf.length > evidenceLimits.leafBytes)
        throw new PalisadeError(
          'too_large',
          `a log entry may have at most ${evidenceLimits.leafBytes} bytes`,
        );
      this.#entries.push(Buffer.from(leaf));
      if (this.#entries.length === TILE_WIDTH) {
        files.push(this.#bundleFile());
        this.#entries = [];
      }
      this.#size++;
      this.#pushHash(0, leafHash(leaf), files);
    }
    return files;
  }

  /** The partial tiles and bundle that a log of this size has and one of `oldSize` did not. */
  partialFiles(oldSize: number): LogFile[] {
    const files: LogFile[] = [];
    for (const [level, edge] of this.#edges.entries()) {
      const width = levelWidth(this.#size, level);
      if (edge.length === 0 || width === levelWidth(oldSize, level)) continue;
      files.push(tileFile(level, Math.floor(width / TILE_WIDTH), edge));
    }
    if (this.#entries.length > 0 && this.#size !== oldSize) files.push(this.#bundleFile());
    return files;
  }

  /** RFC 9162 tree hash of the whole log. */
  root(): Buffer {
    const largestFirst = this.#edges.toReversed().flatMap((edge) =>
      subtreesOf({ from: 0, to: edge.length }).map(({ height, index }) => {
        const width = 2 ** height;
        return rootOfHashes(edge.slice(index * width, (index + 1) * width));
      }),
    );
    return joinSubtrees(largestFirst);
  }

  #pushHash(level: number, hash: Buffer, files: LogFile[]): void {
    const edge = (this.#edges[level] ??= []);
    edge.push(hash);
    if (edge.length < TILE_WIDTH) return;
    files.push(tileFile(level, Math.floor(levelWidth(this.#size, level) / TILE_WIDTH) - 1, edge));
    this.#edges[level] = [];
    this.#pushHash(level + 1, rootOfHashes(edge), files);
  }

  /** The bundle being filled; called before its last entry is counted or while it is partial, so the index is the same. */
  #bundleFile(): LogFile {
    const name = tilePath({
      level: 'entries',
      index: Math.floor(this.#size / TILE_WIDTH),
      width: this.#entries.length,
    });
    return { name, bytes: entryBundle(this.#entries) };
  }

  #check(): void {
    const widthOf = (level: number) => levelWidth(this.#size, level) % TILE_WIDTH;
    let levels = 0;
    while (levelWidth(this.#size, levels) > 0) levels++;
    const fits =
      Number.isSafeInteger(this.#size) &&
      this.#size >= 0 &&
      this.#edges.length >= levels &&
      this.#edges.every((edge, level) => edge.length === widthOf(level)) &&
      this.#entries.length === widthOf(0) &&
      this.#entries.every((entry, i) => this.#edges[0]?.[i]?.equals(leafHash(entry)) === true);
    if (!fits)
      throw new PalisadeError(
        'integrity_mismatch',
        `the log's right edge does not fit ${this.#size} entries`,
      );
  }
}

function tileFile(level: number, index: number, hashes: readonly Buffer[]): LogFile {
  return { name: tilePath({ level, index, width: hashes.length }), bytes: Buffer.concat(hashes) };
}

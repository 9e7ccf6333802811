import { type LogInclusion, type NamedFiles, PalisadeError } from '@palisade/contracts';
import { leafHash } from '../merkle/merkle-hash.ts';
import {
  consistencyRanges,
  inclusionRanges,
  joinSubtrees,
  type LeafRange,
  rootOfHashes,
  subtreesOf,
  type Subtree,
  verifyInclusion,
} from '../merkle/proof.ts';
import { parseCheckpoint } from './checkpoint.ts';
import { splitTile, TILE_WIDTH, tileAt, type TileId, tilePath } from './tile.ts';

/** Reads proofs out of a log's static files, for sizes that were published. Each proof reads O(log n) tiles. */
export class LogReader {
  readonly #files: Pick<NamedFiles, 'read'>;

  constructor(files: Pick<NamedFiles, 'read'>) {
    this.#files = files;
  }

  /**
   * Inclusion proof of the leaf at `index` in the tree of `size` leaves (RFC 9162 §2.1.3). `published` is the
   * size of the log as it is now, whose files hold every earlier tree.
   */
  inclusionFor(index: number, size: number, published = size): Promise<Buffer[]> {
    return this.#hashesOf(inclusionRanges(index, size), published);
  }

  /** Proof that the tree of `oldSize` leaves is a prefix of that of `size` (RFC 9162 §2.1.4), as a witness asks for. */
  consistencyFor(oldSize: number, size: number): Promise<Buffer[]> {
    return this.#hashesOf(consistencyRanges(oldSize, size), size);
  }

  /**
   * The proof a bundle carries: that this leaf stands at `index` under the log's present checkpoint.
   * It is checked before it is handed out: `integrity_mismatch` when the files do not prove it,
   * `not_found` when the log has no checkpoint or has not published the leaf yet.
   */
  async prove(index: number, leaf: Uint8Array): Promise<LogInclusion> {
    const note = (await this.#files.read('checkpoint'))?.toString('utf8');
    if (note === undefined) throw new PalisadeError('not_found', 'the log has no checkpoint yet');
    const parsed = parseCheckpoint(note);
    if (parsed === null) throw new PalisadeError('integrity_mismatch', "the log's checkpoint is malformed");
    const { size } = parsed.checkpoint;
    if (index >= size)
      throw new PalisadeError('not_found', `leaf ${index} is not published yet: the log has ${size}`);
    return this.#proved(index, leaf, note, size);
  }

  /** As {@link prove}, under an earlier checkpoint of the log (a signed note). */
  async proveUnder(note: string, index: number, leaf: Uint8Array): Promise<LogInclusion> {
    const present = parseCheckpoint((await this.#files.read('checkpoint'))?.toString('utf8') ?? '');
    if (present === null) throw new PalisadeError('not_found', 'the log has no checkpoint yet');
    return this.#proved(index, leaf, note, present.checkpoint.size);
  }

  async #proved(index: number, leaf: Uint8Array, note: string, published: number): Promise<LogInclusion> {
    const checkpoint = parseCheckpoint(note)?.checkpoint;
    if (checkpoint === undefined || index >= checkpoint.size || checkpoint.size > published)
      throw new PalisadeError('integrity_mismatch', `no checkpoint of the log holds its leaf ${index}`);
    const { size, root } = checkpoint;
    const proof = await this.inclusionFor(index, size, published);
    if (!verifyInclusion(leafHash(leaf), index, size, proof, root))
      throw new PalisadeError('integrity_mismatch', `the log's files do not prove its leaf ${index}`);
    return {
      leaf_index: index,
      tree_size: size,
      proof: proof.map((hash) => hash.toString('base64')),
      checkpoint: note,
    };
  }

  /** The hashes of a tile; a partial one is also taken from the full tile that replaced it. */
  async tile(tile: TileId): Promise<Buffer[]> {
    const { bytes, full, path } = await this.#read(tile);
    return splitTile(bytes, full ? TILE_WIDTH : tile.width, path).slice(0, tile.width);
  }

  async #read(tile: TileId): Promise<{ bytes: Buffer; full: boolean; path: string }> {
    const path = tilePath(tile);
    const bytes = await this.#files.read(path);
    if (bytes !== null) return { bytes, full: tile.width === TILE_WIDTH, path };
    const fullPath = tilePath({ ...tile, width: TILE_WIDTH });
    const full = tile.width < TILE_WIDTH ? await this.#files.read(fullPath) : null;
    if (full === null)
      throw new PalisadeError('integrity_mismatch', `the log has lost its file ${path}`, {
        why: 'every file of a published log can be made again from its entries',
      });
    return { bytes: full, full: true, path: fullPath };
  }

  async #hashesOf(ranges: readonly LeafRange[], size: number): Promise<Buffer[]> {
    const tiles = new Map<string, Promise<Buffer[]>>();
    const tileOf = (tile: TileId): Promise<Buffer[]> => {
      const path = tilePath(tile);
      const known = tiles.get(path) ?? this.tile(tile);
      tiles.set(path, known);
      return known;
    };
    return Promise.all(
      ranges.map(async (range) =>
        joinSubtrees(
          await Promise.all(subtreesOf(range).map((subtree) => subtreeRoot(subtree, size, tileOf))),
        ),
      ),
    );
  }
}

/** A perfect subtree's root out of the tile whose level is the next multiple of 8 below its height. */
async function subtreeRoot(
  { height, index }: Subtree,
  size: number,
  tileOf: (tile: TileId) => Promise<Buffer[]>,
): Promise<Buffer> {
  const level = Math.floor(height / 8);
  const width = 2 ** (height % 8);
  const hashes = await tileOf(tileAt(level, index * width, size));
  const start = (index * width) % TILE_WIDTH;
  return rootOfHashes(hashes.slice(start, start + width));
}

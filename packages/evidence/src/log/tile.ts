import { PalisadeError } from '@palisade/contracts';

/** Hashes in a full tile, entries in a full bundle (C2SP tlog-tiles). */
export const TILE_WIDTH = 256;
export const HASH_BYTES = 32;

/** A tile: hashes `index*256 … index*256+width-1` of one level; level `L` holds roots of `256^L` leaves. */
export interface TileId {
  readonly level: number | 'entries';
  readonly index: number;
  /** 1 to 256; below 256 the tile is partial. */
  readonly width: number;
}

/** `tile/<L>/<N>[.p/<W>]`, `<N>` in three-digit groups of which all but the last begin with `x`. */
export function tilePath(tile: TileId): string {
  const { level, index, width } = tile;
  if (!Number.isSafeInteger(index) || index < 0 || width < 1 || width > TILE_WIDTH)
    throw new PalisadeError('invalid_input', 'no such tile');
  const digits = String(index);
  const padded = digits.padStart(Math.ceil(digits.length / 3) * 3, '0');
  const groups = padded.match(/.{3}/g) ?? [];
  const path = groups.map((group, i) => (i < groups.length - 1 ? `x${group}` : group)).join('/');
  return `tile/${level}/${path}${width < TILE_WIDTH ? `.p/${width}` : ''}`;
}

/** The directory of a tile's partial files, made while the tile was filling up. */
export function partialsOf({ level, index }: Omit<TileId, 'width'>): string {
  return `${tilePath({ level, index, width: TILE_WIDTH })}.p`;
}

/** How many hashes of a level a tree of `size` leaves has: `floor(size / 256^level)`. */
export function levelWidth(size: number, level: number): number {
  return Math.floor(size / TILE_WIDTH ** level);
}

/** The tile that holds a hash of a level in a tree of `size` leaves, as wide as that tree makes it. */
export function tileAt(level: number, hashIndex: number, size: number): TileId {
  const index = Math.floor(hashIndex / TILE_WIDTH);
  return { level, index, width: Math.min(TILE_WIDTH, levelWidth(size, level) - index * TILE_WIDTH) };
}

/** Splits a tile's bytes; `integrity_mismatch` when they are not exactly `width` hashes. */
export function splitTile(bytes: Uint8Array, width: number, path: string): Buffer[] {
  if (bytes.length !== width * HASH_BYTES)
    throw new PalisadeError(
      'integrity_mismatch',
      `log file ${path} has ${bytes.length} bytes, not ${width * HASH_BYTES}`,
    );
  const all = Buffer.from(bytes);
  return Array.from({ length: width }, (_, i) => all.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES));
}

/** An entry bundle: each entry behind its length as a big-endian 16-bit number. */
export function entryBundle(entries: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    entries.flatMap((entry) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(entry.length);
      return [length, entry];
    }),
  );
}

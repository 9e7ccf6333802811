import { faultPoint, isPalisadeError, type NamedFiles, PalisadeError } from '@palisade/contracts';
import type { Signer } from '../keys/signer.ts';
import { type Checkpoint, parseCheckpoint, signCheckpoint } from './checkpoint.ts';
import { LogReader } from './log-reader.ts';
import { levelWidth, partialsOf, TILE_WIDTH, tileAt } from './tile.ts';
import { type LogFile, TileFrontier } from './tile-frontier.ts';

/** The log's entries in order; the source of truth. Entries are only ever appended. */
export interface LeafSource {
  size(): Promise<number>;
  /** Leaves `from … from+count-1`; fewer only at the end. */
  read(from: number, count: number): Promise<readonly Uint8Array[]>;
}

export interface LogPublisherOptions {
  readonly files: NamedFiles;
  readonly leaves: LeafSource;
  /** Name of the log: the checkpoint's origin and its key's name. */
  readonly origin: string;
  /** An Ed25519 key. */
  readonly signer: Signer;
}

export interface PublishOptions {
  /** Makes every file again from the entries: somebody found one lost or damaged. */
  readonly rebuild?: boolean;
  /**
   * Called before each batch of files and before the checkpoint: raises when another publisher has taken
   * over, and nothing more is written then.
   */
  readonly assertMine?: () => Promise<void>;
}

export interface PublishedLog {
  readonly size: number;
  readonly root: Buffer;
  /** The signed checkpoint as written. */
  readonly checkpoint: string;
}

/** Leaves read and turned into files at a time: bounds memory whatever the backlog. */
const BATCH = 16 * TILE_WIDTH;
/** Files written at once. */
const WRITERS = 16;

/**
 * Publishes a log as C2SP tlog-tiles static files. Repeatable and safe to interrupt anywhere: tiles
 * are functions of the entries, so writing one again writes the same bytes, and the checkpoint that
 * makes them visible is written last. One publisher at a time: callers hold a lease and let it be asked
 * for with `assertMine`. A publisher that stands still right before the checkpoint and goes on after
 * another one can only set the log back to an earlier state of itself, which the next one mends.
 */
export class LogPublisher {
  readonly #options: LogPublisherOptions;

  constructor(options: LogPublisherOptions) {
    this.#options = options;
  }

  /**
   * Brings the files up to the entries. O(log n) for one more entry. Refuses, with
   * `integrity_mismatch` and nothing signed, entries that do not extend the checkpoint already
   * published: two inconsistent checkpoints of one log must never exist. Files at the right edge that
   * were lost or damaged are noticed, and then every file is made again as with `rebuild`; the same refusal holds,
   * before anything is written.
   */
  async publish(options: PublishOptions = {}): Promise<PublishedLog> {
    const assertMine = options.assertMine ?? (async () => {});
    const { leaves, origin, signer, files } = this.#options;
    const present = await this.#present();
    const size = await leaves.size();
    if (size < present.size)
      throw notAnExtension(`the log was published with ${present.size} entries and now has ${size}`);
    const edge = options.rebuild === true ? null : await this.#edgeOf(present);
    if (edge === null) await this.#assertExtends(present);
    const frontier = edge ?? new TileFrontier();
    const oldSize = frontier.size;
    while (frontier.size < size) {
      await assertMine();
      await this.#write(await this.#nextFiles(frontier, size));
    }
    await this.#write(frontier.partialFiles(oldSize));
    const checkpoint: Checkpoint = { origin, size, root: frontier.root() };
    const note = await signCheckpoint(checkpoint, signer);
    faultPoint('seal.before-checkpoint');
    await assertMine();
    await files.write('checkpoint', Buffer.from(note, 'utf8'));
    await this.#removeSuperseded(present.size, size);
    return { size, root: checkpoint.root, checkpoint: note };
  }

  /** The head published so far; an empty tree when there is none. */
  async #present(): Promise<Checkpoint> {
    const { files, origin } = this.#options;
    const note = await files.read('checkpoint');
    if (note === null) return { origin, size: 0, root: new TileFrontier().root() };
    const parsed = parseCheckpoint(note.toString('utf8'));
    if (parsed === null)
      throw new PalisadeError('integrity_mismatch', 'the published checkpoint is malformed');
    if (parsed.checkpoint.origin !== origin)
      throw notAnExtension(`the published checkpoint is of another log: ${parsed.checkpoint.origin}`);
    return parsed.checkpoint;
  }

  /**
   * The right edge of the published tree out of its own tiles, proved against its checkpoint and its last
   * entries; null when these do not fit together.
   */
  async #edgeOf(present: Checkpoint): Promise<TileFrontier | null> {
    try {
      return await this.#readEdge(present);
    } catch (error) {
      if (isPalisadeError(error, 'integrity_mismatch')) return null;
      throw error;
    }
  }

  async #readEdge(present: Checkpoint): Promise<TileFrontier | null> {
    const reader = new LogReader(this.#options.files);
    const edges: Buffer[][] = [];
    for (let level = 0; levelWidth(present.size, level) > 0; level++) {
      const width = levelWidth(present.size, level);
      edges.push(width % TILE_WIDTH === 0 ? [] : await reader.tile(tileAt(level, width - 1, present.size)));
    }
    const pending = present.size % TILE_WIDTH;
    const entries = pending === 0 ? [] : await this.#read(present.size - pending, pending);
    const frontier = new TileFrontier(present.size, edges, entries);
    return frontier.root().equals(present.root) ? frontier : null;
  }

  /** Refuses entries of which those already published are not what they were. O(n). */
  async #assertExtends(present: Checkpoint): Promise<void> {
    const frontier = new TileFrontier();
    while (frontier.size < present.size) await this.#nextFiles(frontier, present.size);
    if (!frontier.root().equals(present.root))
      throw notAnExtension(`the first ${present.size} entries do not have the root that was published`);
  }

  /** Takes the next batch of entries in and gives the files that became full by it. */
  async #nextFiles(frontier: TileFrontier, size: number): Promise<LogFile[]> {
    const border = frontier.size - (frontier.size % TILE_WIDTH) + BATCH;
    const count = Math.min(size, border) - frontier.size;
    return frontier.append(await this.#read(frontier.size, count));
  }

  async #read(from: number, count: number): Promise<Buffer[]> {
    const leaves = await this.#options.leaves.read(from, count);
    if (leaves.length !== count)
      throw new PalisadeError(
        'integrity_mismatch',
        `the log's entries ${from} to ${from + count - 1} are not all there`,
      );
    return leaves.map((leaf) => Buffer.from(leaf));
  }

  /**
   * Removes the partial files of the tiles that were unfinished at `oldSize` and are full now (C2SP
   * tlog-tiles allows it), or a log published leaf by leaf keeps 255 copies of everything. What a
   * crash before this point leaves behind is never read and does no harm.
   */
  async #removeSuperseded(oldSize: number, size: number): Promise<void> {
    const { files } = this.#options;
    if (files.remove === undefined) return;
    for (let level = 0; levelWidth(oldSize, level) > 0; level++) {
      const width = levelWidth(oldSize, level);
      const index = Math.floor(width / TILE_WIDTH);
      if (width % TILE_WIDTH === 0 || levelWidth(size, level) < (index + 1) * TILE_WIDTH) continue;
      const tiles =
        level === 0
          ? [
              { level, index },
              { level: 'entries' as const, index },
            ]
          : [{ level, index }];
      for (const tile of tiles) await files.remove(partialsOf(tile));
    }
  }

  async #write(files: readonly LogFile[]): Promise<void> {
    for (let i = 0; i < files.length; i += WRITERS)
      await Promise.all(
        files.slice(i, i + WRITERS).map((file) => this.#options.files.write(file.name, file.bytes)),
      );
  }
}

function notAnExtension(why: string): PalisadeError {
  return new PalisadeError('integrity_mismatch', `refused to publish the log: ${why}`, {
    why: 'a log that signs two histories proves nothing any more',
  });
}

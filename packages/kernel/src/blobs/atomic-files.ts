import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { toPalisadeError } from '@palisade/contracts';
import { DirectorySync, type SyncDirectory } from './directory-sync.ts';
import { isWriterDead, writerMark } from './writer-mark.ts';

/** A temp file that nobody wrote to for this long is left over, even where its writer cannot be asked. */
const SILENT_MS = 24 * 60 * 60 * 1000;

/** What a fill decides: where its file goes (`null`: nowhere, it is dropped) and what it learned. */
export interface Filled<T> {
  readonly target: string | null;
  readonly value: T;
}

/**
 * Files that appear whole or not at all (DI-028): written to a temp file in the same file system,
 * synced, renamed into place, and the directory synced. A failure or a SIGKILL at any point leaves
 * the target as it was; a full disk is `storage_full`.
 */
export class AtomicFiles {
  readonly root: string;
  readonly #temp: string;
  readonly #mode: number;
  readonly #directories: DirectorySync;
  #swept: Promise<void> | undefined;

  /** `temp` names the directory for unfinished files inside `root`; `mode` is that of finished ones, before the umask. */
  constructor(
    root: string,
    options: { readonly temp: string; readonly mode: number; readonly sync?: SyncDirectory },
  ) {
    this.root = root;
    this.#temp = join(root, options.temp);
    this.#mode = options.mode;
    this.#directories = new DirectorySync(options.sync);
  }

  /** Writes one file through `fill` and publishes it where `fill` says. */
  async write<T>(fill: (handle: FileHandle) => Promise<Filled<T>>): Promise<T> {
    // Clearing away what others left must not decide whether this write succeeds.
    this.#swept ??= this.sweep().catch(() => undefined);
    await this.#swept;
    const temp = join(this.#temp, writerMark());
    try {
      const { target, value } = await this.#fill(temp, fill);
      if (target !== null) await this.#publish(temp, target);
      return value;
    } catch (error) {
      throw toPalisadeError(error);
    } finally {
      // Gone already when it was published.
      await rm(temp, { force: true });
    }
  }

  /** Makes an entry that is visible in `directory` durable, whoever made it. */
  async settle(directory: string): Promise<void> {
    await this.#directories.ensure(directory, this.root);
    await this.#directories.sync(directory);
  }

  /** Removes temp files of dead writers, and of those that have been silent for a day. */
  async sweep(): Promise<void> {
    const names = await readdir(this.#temp).catch(() => [] as string[]);
    for (const name of names) {
      const path = join(this.#temp, name);
      if (isWriterDead(name) || (await isSilent(path))) await rm(path, { force: true, recursive: true });
    }
  }

  async #fill<T>(temp: string, fill: (handle: FileHandle) => Promise<Filled<T>>): Promise<Filled<T>> {
    const handle = await this.#inDirectory(this.#temp, () => open(temp, 'wx', this.#mode));
    try {
      const filled = await fill(handle);
      if (filled.target !== null) await handle.sync();
      return filled;
    } finally {
      await handle.close();
    }
  }

  async #publish(temp: string, target: string): Promise<void> {
    const directory = dirname(target);
    await this.#inDirectory(directory, () => rename(temp, target));
    await this.#directories.sync(directory);
  }

  /** Acts in a directory that exists; once more when it turns out to have been removed since it was made. */
  async #inDirectory<T>(directory: string, act: () => Promise<T>): Promise<T> {
    await this.#directories.ensure(directory, this.root);
    try {
      return await act();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      this.#directories.forget();
      await this.#directories.ensure(directory, this.root);
      return act();
    }
  }
}

async function isSilent(path: string): Promise<boolean> {
  const facts = await stat(path).catch(() => undefined);
  return facts !== undefined && facts.mtimeMs < Date.now() - SILENT_MS;
}

import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes one directory's entries durable. */
export type SyncDirectory = (directory: string) => Promise<void>;

/** `fsync` of a directory. Windows has no such call and orders its metadata itself. */
export const fsyncDirectory: SyncDirectory = async (directory) => {
  if (process.platform === 'win32') return;
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

interface Queue {
  running: Promise<void>;
  /** A sync that has not begun: it will cover every entry made before it begins, so latecomers join it. */
  next: Promise<void> | undefined;
}

/**
 * Makes directory entries durable with as few syncs as correctness allows: callers that ask while a
 * sync of the same directory runs share the one that follows it. They never share the running one,
 * which may have begun before their entry was made.
 */
export class DirectorySync {
  readonly #sync: SyncDirectory;
  readonly #queues = new Map<string, Queue>();
  /** Directories whose own entry is known durable: a directory made by a crashed process may not be. */
  readonly #durable = new Set<string>();

  constructor(sync: SyncDirectory = fsyncDirectory) {
    this.#sync = sync;
  }

  /** Resolves when every entry made in `directory` before this call is durable. */
  sync(directory: string): Promise<void> {
    const queue = this.#queues.get(directory);
    if (queue === undefined) {
      const fresh: Queue = { running: Promise.resolve(), next: undefined };
      this.#queues.set(directory, fresh);
      return this.#run(directory, fresh);
    }
    queue.next ??= queue.running.then(
      () => this.#run(directory, queue),
      () => this.#run(directory, queue),
    );
    return queue.next;
  }

  #run(directory: string, queue: Queue): Promise<void> {
    queue.next = undefined;
    queue.running = this.#sync(directory).finally(() => {
      if (queue.next === undefined) this.#queues.delete(directory);
    });
    return queue.running;
  }

  /** Makes `directory` and every parent down from `root` exist, with durable entries. */
  async ensure(directory: string, root: string): Promise<void> {
    if (this.#durable.has(directory)) return;
    const parent = dirname(directory);
    if (directory !== root) await this.ensure(parent, root);
    await mkdir(directory, { recursive: true });
    await this.sync(parent);
    this.#durable.add(directory);
  }

  /** Forgets what is known of directories, after one turned out to be gone. */
  forget(): void {
    this.#durable.clear();
  }
}

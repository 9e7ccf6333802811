import { closeSync, constants, fstatSync, ftruncateSync, lstatSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { INBOX_FILE, type InboxMessage, PalisadeError } from '@palisade/contracts';
import { writeAll, writeFileSafely } from '../overlay/safe-file.ts';

/**
 * The file in which an agent finds its messages (DI-121). It is made before any program runs and held open from then on, so
 * whatever the agent puts in its place, a symlink, a FIFO or a file of somebody else's, is neither written to nor waited for. It is
 * only ever added to.
 */
export class Inbox {
  readonly #root: string;
  readonly #file: number;
  #through = 0;

  private constructor(root: string, file: number) {
    this.#root = root;
    this.#file = file;
  }

  /**
   * Makes the file with the messages that there are already.
   *
   * @param root absolute path of the workspace; no program of the attempt may run yet
   */
  static create(root: string, messages: readonly InboxMessage[]): Inbox {
    writeFileSafely(root, INBOX_FILE, Buffer.alloc(0));
    const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const inbox = new Inbox(root, openSync(join(root, INBOX_FILE), flags));
    for (const message of messages) inbox.add(message);
    return inbox;
  }

  /** The number of the last message in it; 0 for none. */
  get through(): number {
    return this.#through;
  }

  /**
   * Adds the next message, as one line; one that is in it already changes nothing.
   *
   * @throws PalisadeError `unsafe_path` when what lies in its place is not this file, or this file lies elsewhere too: an agent that is not
   *   given what it looks for is not told it was, and nothing of the repository is written to
   */
  add(message: InboxMessage): void {
    if (message.seq <= this.#through) return;
    const { size } = this.#assertInPlace();
    try {
      writeAll(this.#file, Buffer.from(`${JSON.stringify(message)}\n`, 'utf8'));
    } catch (error) {
      // A line is there whole or not at all, also on a disk that is full.
      ftruncateSync(this.#file, size);
      throw error;
    }
    this.#through = message.seq;
  }

  close(): void {
    closeSync(this.#file);
  }

  #assertInPlace(): { readonly size: number } {
    const own = fstatSync(this.#file);
    const folder = lstatSync(join(this.#root, dirname(INBOX_FILE)), { throwIfNoEntry: false });
    const found = lstatSync(join(this.#root, INBOX_FILE), { throwIfNoEntry: false });
    const isSame = found?.ino === own.ino && found.dev === own.dev;
    if (folder?.isDirectory() !== true || !isSame || own.nlink !== 1)
      throw new PalisadeError('unsafe_path', `${INBOX_FILE} is not the file that was made there`);
    return own;
  }
}

import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { nearest } from '@palisade/contracts/nearest';
import { UsageError } from './tree/usage-error.ts';

/*
 * A file that a repository or a user names may be a device that never ends or a pipe that nobody writes
 * to. No read here waits in the system, where no signal reaches it, and none takes more than its limit.
 */

/** Names of a directory that are compared with one that is not there. */
const NAMES_COMPARED = 1_000;
const PART = 64 * 1024;
const POLL_MS = 20;
/** How long a named pipe may be without its first writer. */
const WRITER_MS = 5_000;

/** What a file is refused for, as its reader words it. */
export interface Bounds {
  /** How messages name the file. */
  readonly shown: string;
  readonly maxBytes: number;
  readonly tooLarge: () => Error;
}

/** A whole regular file; the error says what else it is. `links: 'refuse'` for what a repository brings. */
export function readRegularFile(path: string, bounds: Bounds, links: 'follow' | 'refuse'): Buffer {
  const file = opened(path, bounds, links === 'refuse' ? constants.O_NOFOLLOW : 0);
  try {
    const facts = fstatSync(file);
    if (!facts.isFile()) throw new UsageError(`${bounds.shown} is no regular file`);
    if (facts.size > bounds.maxBytes) throw bounds.tooLarge();
    const parts: Buffer[] = [];
    for (let size = 0; ; ) {
      const part = readPart(file, bounds);
      if (part === undefined || part.length === 0) return Buffer.concat(parts);
      size += part.length;
      if (size > bounds.maxBytes) throw bounds.tooLarge();
      parts.push(part);
    }
  } finally {
    closeSync(file);
  }
}

/** What the user named, which may also be a pipe, such as a shell's `<(…)`; waiting for one ends with `signal`. */
export async function readAnyFile(path: string, bounds: Bounds, signal: AbortSignal): Promise<Buffer> {
  const file = opened(path, bounds, 0);
  try {
    const facts = fstatSync(file);
    if (facts.isDirectory()) throw new UsageError(`${bounds.shown} is a directory`);
    if (facts.size > bounds.maxBytes) throw bounds.tooLarge();
    const parts: Buffer[] = [];
    const begun = performance.now();
    for (let size = 0; ; ) {
      const part = readPart(file, bounds);
      // A pipe without a writer looks as if it had ended.
      const isUnwritten = size === 0 && facts.isFIFO() && performance.now() - begun < WRITER_MS;
      if (part?.length === 0 && !isUnwritten) return Buffer.concat(parts);
      if (part === undefined || part.length === 0) {
        await delay(POLL_MS, undefined, { signal }).catch(() => {
          throw signal.reason;
        });
        continue;
      }
      size += part.length;
      if (size > bounds.maxBytes) throw bounds.tooLarge();
      parts.push(part);
    }
  } finally {
    closeSync(file);
  }
}

function opened(path: string, { shown }: Bounds, flags: number): number {
  try {
    return openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | flags);
  } catch (error) {
    const code = errorName(error);
    if (code === 'ENOENT') throw new UsageError(`there is no file ${shown}`, whereLooked(path));
    if (code === 'ELOOP') throw new UsageError(`${shown} is a symbolic link`);
    throw new UsageError(`${shown} cannot be read (${code})`);
  }
}

/** Where a file was looked for that is not there, and the name that was probably meant. */
function whereLooked(path: string): { readonly why: string; readonly next: string } {
  const directory = dirname(path);
  let names: readonly string[] = [];
  try {
    names = readdirSync(directory);
  } catch {
    return {
      why: `there is no directory ${directory} that can be read`,
      next: 'give the path of a file that is there',
    };
  }
  const meant = nearest(basename(path), names.slice(0, NAMES_COMPARED));
  return {
    why: `it was looked for in ${directory}`,
    next:
      meant === undefined
        ? `give the path of a file that is there (ls ${directory})`
        : `did you mean ${meant}?`,
  };
}

/** The next bytes; none at the end, undefined while there are none yet. */
function readPart(file: number, { shown }: Bounds): Buffer | undefined {
  const part = Buffer.allocUnsafe(PART);
  try {
    return part.subarray(0, readSync(file, part));
  } catch (error) {
    const code = errorName(error);
    if (code === 'EAGAIN') return undefined;
    throw new UsageError(`${shown} cannot be read (${code})`);
  }
}

/** The code of a file system error, such as `EACCES`; never its text. */
export function errorName(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
}

import type { BigIntStats } from 'node:fs';
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import type { Facts } from './source.ts';

/** A pipe is not waited for, and what became a link since it was found is not followed. */
const READ = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

export interface OpenFile extends Facts {
  readonly descriptor: number;
}

/** Opens a file to read it. Errors: those of the file system, and for what is no regular file. */
export function openRegular(path: string): OpenFile {
  const descriptor = openSync(path, READ);
  try {
    return { descriptor, ...factsOf(path, fstatSync(descriptor, { bigint: true })) };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** Errors: as {@link openRegular}. */
export function regularFacts(path: string): Facts {
  return factsOf(path, lstatSync(path, { bigint: true }));
}

/** The text of a small file; undefined of one that is larger. Errors: as {@link openRegular}. */
export function smallText(path: string, maxBytes: number): string | undefined {
  const { descriptor, size } = openRegular(path);
  try {
    return size > maxBytes ? undefined : readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

function factsOf(path: string, stats: BigIntStats): Facts {
  if (!stats.isFile()) throw new Error(`${path} is no regular file`);
  return { file: `${stats.dev}:${stats.ino}`, size: Number(stats.size), modifiedAt: Number(stats.mtimeMs) };
}

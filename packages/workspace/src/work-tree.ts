import { lstat, readlink } from 'node:fs/promises';
import { errno } from './errno.ts';
import { childPath } from './remove-tree.ts';
import { pathKey } from './tree-entry.ts';

/** What is at a path of a work tree. */
export type PathKind =
  | { readonly kind: 'file'; readonly size: number }
  | { readonly kind: 'directory' }
  | { readonly kind: 'absent' }
  | { readonly kind: 'special' };

/** Looks at paths of a work tree without following any symlink of it. */
export class WorkTree {
  readonly #root: string;
  readonly #directories = new Map<string, boolean>([['', true]]);

  constructor(root: string) {
    this.#root = root;
  }

  /** What is at a path. A path below a symlink is absent: it is somewhere else. */
  async kind(path: Buffer): Promise<PathKind> {
    if (!(await this.#isDirectory(parentOf(path)))) return { kind: 'absent' };
    const stats = await this.#stat(path);
    if (stats === null) return { kind: 'absent' };
    if (stats.isDirectory()) return { kind: 'directory' };
    if (stats.isFile()) return { kind: 'file', size: stats.size };
    if (!stats.isSymbolicLink()) return { kind: 'special' };
    return {
      kind: 'file',
      size: (await readlink(childPath(this.#root, path), { encoding: 'buffer' })).length,
    };
  }

  /** The nearest folder of `path` that exists but is no directory; null when nothing is in the way. */
  async blocker(path: Buffer): Promise<Buffer | null> {
    for (let folder = parentOf(path); folder.length > 0; folder = parentOf(folder)) {
      const { kind } = await this.kind(folder);
      if (kind === 'directory') return null;
      if (kind !== 'absent') return folder;
    }
    return null;
  }

  /** True when every component of `path` is a directory itself. */
  async #isDirectory(path: Buffer): Promise<boolean> {
    const key = pathKey(path);
    const known = this.#directories.get(key);
    if (known !== undefined) return known;
    const is =
      (await this.#isDirectory(parentOf(path))) && ((await this.#stat(path))?.isDirectory() ?? false);
    this.#directories.set(key, is);
    return is;
  }

  async #stat(path: Buffer) {
    try {
      return await lstat(childPath(this.#root, path));
    } catch (error) {
      if (errno(error) === 'ENOENT' || errno(error) === 'ENOTDIR') return null;
      throw error;
    }
  }
}

/** The folder part of a path; empty at the top. */
export function parentOf(path: Buffer): Buffer {
  const slash = path.lastIndexOf(0x2f);
  return path.subarray(0, Math.max(slash, 0));
}

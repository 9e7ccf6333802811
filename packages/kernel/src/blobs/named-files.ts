import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type NamedFiles, PalisadeError, toPalisadeError } from '@palisade/contracts';
import { AtomicFiles } from './atomic-files.ts';
import type { SyncDirectory } from './directory-sync.ts';

const SEGMENT = /^[a-z0-9][a-z0-9._-]{0,99}$/;
const MAX_NAME = 400;

/**
 * Named files under `directory`. A name is `/`-separated segments of lower-case letters, digits and
 * `. _ -`, each starting with a letter or digit; anything else is `invalid_input`. A write replaces
 * atomically: a reader, and whoever looks after a crash, sees the old content or the new, whole.
 */
export function fileNamedFiles(
  directory: string,
  options: { readonly sync?: SyncDirectory } = {},
): NamedFiles {
  // No segment starts with a dot, so the temp directory cannot be named.
  const files = new AtomicFiles(directory, { temp: '.tmp', mode: 0o644, ...options });
  return {
    async read(name) {
      try {
        return await readFile(pathOf(directory, name));
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return null;
        throw toPalisadeError(error);
      }
    },
    async write(name, bytes) {
      const target = pathOf(directory, name);
      await files.write(async (handle) => {
        await handle.writeFile(bytes);
        return { target, value: undefined };
      });
    },
    async remove(name) {
      const path = pathOf(directory, name);
      try {
        await rm(path, { recursive: true });
        await files.settle(dirname(path));
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code !== 'ENOENT' && code !== 'ENOTDIR') throw toPalisadeError(error);
      }
    },
  };
}

function pathOf(directory: string, name: string): string {
  const segments = name.split('/');
  const isValid = name.length <= MAX_NAME && segments.every((s) => SEGMENT.test(s) && !s.includes('..'));
  if (!isValid) throw new PalisadeError('invalid_input', 'a file name has a segment that is not allowed');
  return join(directory, ...segments);
}

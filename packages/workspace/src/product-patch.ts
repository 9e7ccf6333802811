import { readFile } from 'node:fs/promises';
import {
  isPalisadeError,
  namesControlDirectory,
  namesGitDirectory,
  PalisadeError,
} from '@palisade/contracts';
import type { ObjectFormat } from './git-files.ts';
import type { PatchFile } from './patch-file.ts';
import { summarisePatch } from './patch-summary.ts';
import { pathBytes } from './path-text.ts';

/** A product to apply: the absolute path of its patch. `item` names it in messages. */
export interface ProductPatch {
  readonly item: string;
  readonly file: string;
}

/** A product's patch, read and found to name only paths and entries that may be applied. */
export interface ParsedPatch extends ProductPatch {
  readonly files: readonly PatchFile[];
  readonly format: ObjectFormat;
}

export async function parsePatch(patch: ProductPatch): Promise<ParsedPatch> {
  const bytes = await readFile(patch.file);
  return { ...patch, files: filesOf(patch.item, bytes), format: formatOfPatch(bytes) };
}

function filesOf(item: string, bytes: Buffer): PatchFile[] {
  let files: PatchFile[];
  try {
    files = summarisePatch(bytes);
  } catch (error) {
    if (!isPalisadeError(error, 'invalid_input')) throw error;
    throw new PalisadeError('invalid_input', `the product of ${item} is not a git patch`, {
      why: error.message,
      cause: error,
    });
  }
  for (const file of files) {
    const unsafe = pathsOf(file).find(isUnsafe);
    if (unsafe !== undefined)
      throw new PalisadeError('unsafe_path', `the product of ${item} names ${unsafe}`, {
        next: 'do not apply it: no honest capture writes such a path',
      });
    if (file.oldMode === '160000' || file.newMode === '160000')
      throw new PalisadeError('patch_conflict', `the product of ${item} changes the submodule ${file.path}`, {
        next: 'change the submodule by hand',
      });
  }
  return files;
}

/**
 * Absolute, empty, climbing, or into a git directory or the control plane's, in any spelling that the
 * file system of the checkout might take for it: the agent's own kept the two apart. The bytes of the
 * name are looked at, not its text form, which may spell them otherwise.
 */
function isUnsafe(path: string): boolean {
  const segments = pathBytes(path).toString('utf8').split('/');
  const isGit = (segment: string) => segment.split('\\').some(namesGitDirectory);
  return (
    segments.some((segment) => segment === '' || segment === '.' || segment === '..' || isGit(segment)) ||
    namesControlDirectory(segments[0] ?? '')
  );
}

export function pathsOf(file: PatchFile): string[] {
  return file.oldPath === undefined ? [file.path] : [file.path, file.oldPath];
}

/** Told by the length of the first object id. No line of a hunk or of binary data starts like this one. */
function formatOfPatch(bytes: Buffer): ObjectFormat {
  const at = bytes.indexOf('\nindex ');
  return at >= 0 && /^\nindex [0-9a-f]{64}\.\./.test(bytes.toString('latin1', at, at + 80))
    ? 'sha256'
    : 'sha1';
}

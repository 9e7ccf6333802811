import { PalisadeError } from './errors.ts';

/** Longest accepted path in UTF-16 code units, and longest segment in UTF-8 bytes (what file systems hold). */
export const MAX_PATH_LENGTH = 1024;
const MAX_SEGMENT_BYTES = 255;

// Code points that HFS+ ignores when it compares names: `.g<U+200C>it` opens `.git` there.
const IGNORED_BY_FILE_SYSTEMS = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
// The directory and the 8.3 short names NTFS may give it.
const GIT_NAME = /^(?:\.git|git~[0-9]+|gi[0-9a-f]{4}~[0-9]+)$/;
const CONTROL_NAME = /^(?:\.palisade|palisa~[0-9]+|palis[0-9a-f]{0,4}~[0-9]+)$/;

/**
 * Returns `path` when it is a relative, `/`-separated path that stays inside the directory it is
 * joined to on every platform, and raises `unsafe_path` otherwise (DI-042). Refused: absolute paths,
 * drive letters, backslashes, empty, `.` and `..` segments, control characters, lone surrogates,
 * over-long paths, and the reserved segments `.git` and `.palisade` in any case or disguise.
 * Both the registry and the worker call it: what was checked once is checked again where it is written.
 */
export function assertSafePath(path: string): string {
  const reason = whyUnsafe(path);
  if (reason !== undefined)
    throw new PalisadeError('unsafe_path', `the path ${quotePath(path)} ${reason}`, {
      issues: [{ path: quotePath(path), message: reason }],
    });
  return path;
}

/** A path as one short printable token for an error message: foreign bytes never reach a terminal raw. */
export function quotePath(path: string): string {
  const shown = path.length > 120 ? `${path.slice(0, 120)}…` : path;
  return JSON.stringify(shown.toWellFormed()).replace(
    /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u206f\ufeff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function whyUnsafe(path: string): string | undefined {
  if (path === '') return 'is empty';
  if (path.length > MAX_PATH_LENGTH) return `is longer than ${MAX_PATH_LENGTH} characters`;
  if (!path.isWellFormed()) return 'holds a lone surrogate';
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(path)) return 'holds a control character';
  if (path.includes('\\')) return 'holds a backslash';
  if (path.startsWith('/')) return 'is absolute';
  if (/^[A-Za-z]:/.test(path)) return 'names a drive';
  for (const segment of path.split('/')) {
    if (segment === '') return 'has an empty segment';
    if (segment === '.' || segment === '..') return `has a "${segment}" segment`;
    if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES)
      return `has a segment longer than ${MAX_SEGMENT_BYTES} bytes`;
    if (namesGitDirectory(segment) || namesControlDirectory(segment)) return 'names a reserved directory';
  }
  return undefined;
}

/** True when some file system takes this path segment for `.git`: writing there runs code (DI-042). */
export function namesGitDirectory(segment: string): boolean {
  return GIT_NAME.test(plainName(segment));
}

/** True when some file system takes this path segment for our own control directory: writing there forges state. */
export function namesControlDirectory(segment: string): boolean {
  return CONTROL_NAME.test(plainName(segment));
}

function plainName(segment: string): string {
  const plain = segment.replace(IGNORED_BY_FILE_SYSTEMS, '').normalize('NFKC').toLowerCase();
  // NTFS drops trailing dots and blanks, and what follows a colon names a stream of the same file.
  return (plain.split(':')[0] ?? '').replace(/[. ]+$/, '');
}

/**
 * What a file system that folds case and normalises may take a path for: two paths with one key
 * cannot both exist there (FF-008). Errs on the side of calling names equal.
 */
export function foldedPath(path: string): string {
  return path.normalize('NFD').toUpperCase().toLowerCase().normalize('NFC');
}

/** Two paths that cannot live together, and why. */
export interface PathConflict {
  readonly first: string;
  readonly second: string;
  readonly kind: 'duplicate' | 'case' | 'file_and_directory';
}

/**
 * The first pair of file paths that are equal, equal after normalisation and case folding, or of
 * which one is a directory of the other; null when all can live together on every platform (FF-008).
 */
export function findPathConflict(paths: Iterable<string>): PathConflict | null {
  const files = new Map<string, string>();
  for (const path of paths) {
    const key = foldedPath(path);
    const first = files.get(key);
    if (first !== undefined) return { first, second: path, kind: first === path ? 'duplicate' : 'case' };
    files.set(key, path);
  }
  for (const [key, path] of files) {
    for (let at = key.lastIndexOf('/'); at > 0; at = key.lastIndexOf('/', at - 1)) {
      const first = files.get(key.slice(0, at));
      if (first !== undefined) return { first, second: path, kind: 'file_and_directory' };
    }
  }
  return null;
}

/** Checks every path with {@link assertSafePath} and all of them together with {@link findPathConflict}; raises `unsafe_path`. */
export function assertSafePaths(paths: readonly string[]): void {
  for (const path of paths) assertSafePath(path);
  const conflict = findPathConflict(paths);
  if (conflict === null) return;
  const { first, second, kind } = conflict;
  const why = {
    duplicate: 'is listed twice',
    case: `and ${quotePath(second)} are one file where case or Unicode form is ignored`,
    file_and_directory: `is a file, and ${quotePath(second)} needs a directory of that name`,
  }[kind];
  throw new PalisadeError('unsafe_path', `the path ${quotePath(first)} ${why}`, {
    issues: [{ path: quotePath(second), message: kind }],
  });
}

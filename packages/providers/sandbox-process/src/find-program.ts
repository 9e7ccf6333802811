import { accessSync, constants, openSync, closeSync, readSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * The error name with which starting `program` would fail, or null when it should start. A launcher
 * in front of a program hides such an error behind an exit status, so it is looked for first.
 * `cwd` is absolute; the search path is the program's own PATH, as `execvp` uses it.
 */
export function startFault(program: string, path: string | undefined, cwd: string): string | null {
  if (program.includes('/')) return fileFault(resolve(cwd, program), cwd);
  let worst: string | null = 'ENOENT';
  for (const dir of (path ?? '/usr/bin:/bin').split(':')) {
    const fault = fileFault(join(resolve(cwd, dir === '' ? '.' : dir), program), cwd);
    if (fault === null) return null;
    if (fault === 'EACCES') worst = fault;
  }
  return worst;
}

function fileFault(file: string, cwd: string): string | null {
  try {
    if (!statSync(file).isFile()) return 'EACCES';
    accessSync(file, constants.X_OK);
  } catch (error) {
    return errno(error);
  }
  const interpreter = interpreterOf(file);
  if (interpreter === null) return null;
  try {
    statSync(resolve(cwd, interpreter));
    return null;
  } catch (error) {
    return errno(error);
  }
}

/** The interpreter a script names in its first line, or null. An unreadable file has none we can see. */
function interpreterOf(file: string): string | null {
  const head = Buffer.alloc(256);
  try {
    const fd = openSync(file, 'r');
    try {
      readSync(fd, head);
    } finally {
      closeSync(fd);
    }
  } catch {
    return null;
  }
  return /^#![ \t]*([^\s\0]+)/.exec(head.toString('latin1'))?.[1] ?? null;
}

function errno(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'EACCES';
}

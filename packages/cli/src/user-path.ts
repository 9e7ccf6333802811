import { isAbsolute, resolve } from 'node:path';
import { foreignLine } from './output/foreign-text.ts';
import { UsageError } from './tree/usage-error.ts';

/**
 * The absolute path of a file or directory a person named, taken from `directory` when it is relative.
 * Another system's spelling is refused: here it would be the name of something new in that directory
 * (FF-170).
 */
export function userPath(directory: string, name: string): string {
  if (isForeignSpelling(name))
    throw new UsageError(`${foreignLine(name)} is a path of another system`, {
      why: 'here it would name something else, in the directory you are in',
      next: 'give the path as this system spells it',
    });
  return resolve(directory, name);
}

/**
 * True for a drive letter or a share where there are none, and on Windows for the forms its shells
 * convert arguments to.
 */
export function isForeignSpelling(path: string, platform: NodeJS.Platform = process.platform): boolean {
  return platform === 'win32'
    ? /^\/(?:(?:mnt|cygdrive)\/)?[A-Za-z](?:\/|$)/.test(path)
    : /^[A-Za-z]:[\\/]|^\\\\/.test(path);
}

/** A base directory from the environment; one that is not absolute here is none (XDG Base Directory 0.8). */
export function baseDirectory(value: string | undefined): string | undefined {
  return value !== undefined && isAbsolute(value) ? value : undefined;
}

import { readdirSync, readFileSync } from 'node:fs';

/*
 * Node marks what it opens as close-on-exec, but a descriptor this process was itself born with
 * (from a shell, a service manager, a test runner) may be passed on to every child unseen. In a
 * sandbox such a descriptor is a hole: a directory opened outside can be walked from.
 */

const CLOSE_ON_EXEC = 0o2000000;

let born: readonly number[] | undefined;

/**
 * Descriptors above `last` that a child of this process would inherit. They are looked for once: later ones
 * are Node's, and closing one that is closed already does no harm.
 */
export function inheritedDescriptors(last: number): readonly number[] {
  return (born ??= findInherited()).filter((fd) => fd > last);
}

function findInherited(): number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((fd) => !isClosedOnExec(fd));
}

/** Words that close these descriptors before the rest of the command line; none when there is nothing to close. */
export function closing(descriptors: readonly number[]): string[] {
  if (descriptors.length === 0) return [];
  // Only bash can close a descriptor of more than one digit. Without bash the start fails, which is the safe way.
  const script = 'for fd in $1; do exec {fd}>&- || exit 125; done; shift; exec "$@"';
  return ['bash', '-c', script, 'bash', descriptors.join(' ')];
}

function isClosedOnExec(fd: number): boolean {
  try {
    const flags = /^flags:\s+([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1] ?? '0';
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) !== 0;
  } catch {
    return true; // It was the one that read the directory.
  }
}

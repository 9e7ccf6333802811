import { accessSync, constants, openSync, readSync, closeSync, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, sep } from 'node:path';
import { PalisadeError } from '@palisade/contracts';

/** A vendor's program on this machine. */
export interface AgentProgram {
  /** The first words of its command line. */
  readonly argv: readonly [string, ...string[]];
  /** What it consists of, to be shown in the sandbox. */
  readonly paths: readonly string[];
}

/** What is looked for. */
export interface Wanted {
  /** Name of the program on PATH. */
  readonly name: string;
  /** Absolute path that an operator gave instead. */
  readonly program: string | undefined;
  /** PATH to look on. */
  readonly path: string;
  /** The command that installs it, for people. */
  readonly install: string;
}

/**
 * Finds a vendor's program and what of this machine it needs to run. A program of an npm package is shown
 * with the packages installed around it, where its parts are; any other one alone, so that naming a
 * program never shows the directory it happens to lie in.
 *
 * @throws PalisadeError `requirements_unmet` with the command that installs it
 */
export function findAgentProgram(wanted: Wanted): AgentProgram {
  const file = wanted.program === undefined ? onPath(wanted.name, wanted.path) : executable(wanted.program);
  if (file === null)
    throw new PalisadeError(
      'requirements_unmet',
      wanted.program === undefined
        ? `the program ${wanted.name} is not on the PATH of the worker`
        : `${wanted.program} is not an executable file`,
      { why: `install it with ${wanted.install}`, next: wanted.install },
    );
  const parts = file.split(sep);
  const modules = parts.lastIndexOf('node_modules');
  const paths = [modules === -1 ? file : parts.slice(0, modules + 1).join(sep)];
  // The Node of the launcher runs it: the one its first line asks for may not be in the sandbox.
  return { argv: isNodeScript(file) ? [process.execPath, file] : [file], paths };
}

function onPath(name: string, path: string): string | null {
  for (const directory of path.split(delimiter)) {
    // A relative entry of PATH means the place where somebody started the server.
    const file = isAbsolute(directory) ? executable(join(directory, name)) : null;
    if (file !== null) return file;
  }
  return null;
}

/** The real path of a regular file this user may execute, or null. */
function executable(path: string): string | null {
  try {
    const real = realpathSync(path);
    if (!statSync(real).isFile()) return null;
    accessSync(real, constants.X_OK);
    return real;
  } catch {
    return null;
  }
}

function isNodeScript(file: string): boolean {
  const head = Buffer.alloc(128);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, head);
  } finally {
    closeSync(descriptor);
  }
  return /^#![^\n]*\bnode\b/.test(head.toString('latin1'));
}

import { posix } from 'node:path';
import type { CheckTier } from '@palisade/contracts';
import { shellWords } from '@palisade/contracts/shell-words';

/** A command of the project itself that checks it. Run without a shell. */
export interface CheckCommand {
  readonly argv: readonly [string, ...string[]];
  /** Folder it runs in, within the repository; `.` for its root. */
  readonly cwd: string;
  /** Why it is proposed. */
  readonly reason: string;
}

/** What an ecosystem proposes for a change; a tier holds what it adds to those before it. */
export type Proposal = Readonly<Record<CheckTier, readonly CheckCommand[]>>;

/** The command as a person would type it at the root of the repository. */
export function typed({ argv, cwd }: CheckCommand): string {
  return cwd === '.' ? shellWords(argv) : `(${shellWords(['cd', cwd])} && ${shellWords(argv)})`;
}

/** A file as an argument of a command in `folder`; none of them looks like a flag. */
export function argumentOf(folder: string, path: string): string {
  const within = posix.relative(folder, path) || '.';
  return within.startsWith('-') ? `./${within}` : within;
}

export const NOTHING: Proposal = { fast: [], safe: [], full: [] };

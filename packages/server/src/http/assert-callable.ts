import { assertMay, type Caller, noProject, type Operation } from '@palisade/contracts';
import type { SealedCursors } from './sealed-cursors.ts';

/** What every surface needs to call operations for somebody. */
export interface CallDeps {
  readonly hasProject: (project: string) => Promise<boolean>;
  /** What callers from outside are told of a text about this machine. */
  readonly tell: (text: string) => string;
  readonly cursors: SealedCursors;
  /** Runs a call so that its units of work ask again whether the caller may still call. */
  readonly asCaller: <T>(caller: Caller, call: () => Promise<T>) => Promise<T>;
}

/** Refuses what a caller may not call, and projects that are not there: the same answer as for those it may not see (EX-020). */
export async function assertCallable(
  deps: CallDeps,
  operation: Operation,
  caller: Caller,
  project: string | null,
): Promise<void> {
  assertMay(caller, operation.access, project);
  if (project !== null && !(await deps.hasProject(project))) throw noProject(project);
}

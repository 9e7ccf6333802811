import { realpath } from 'node:fs/promises';
import {
  bindOperation,
  type BoundOperation,
  changedNow,
  explainFile,
  fileNeighbors,
  findDecisions,
  handOff,
  isHost,
  isSafeToEdit,
  mapRepository,
  nameOf,
  PalisadeError,
  planEdit,
  prepareTask,
  rankRisk,
  reviewChange,
} from '@palisade/contracts';
import { MemoryThread } from './memory-thread.ts';

export interface MemoryDeps {
  /** The repository that is meant when none is named: an absolute directory of this machine. */
  readonly directory: string;
  /** Whether callers from outside may name a repository. */
  readonly isOffered: (repository: string) => Promise<boolean>;
}

export interface ServedMemory {
  readonly operations: readonly BoundOperation[];
  readonly close: () => Promise<void>;
}

const QUESTIONS = [
  planEdit,
  explainFile,
  isSafeToEdit,
  fileNeighbors,
  rankRisk,
  changedNow,
  reviewChange,
  handOff,
  prepareTask,
  findDecisions,
  mapRepository,
] as const;

/** What repository memory answers about the repositories of the machine that it runs on. It reads nobody's transcripts. */
export function memoryOperations({ directory, isOffered }: MemoryDeps): ServedMemory {
  const thread = new MemoryThread();
  const bound = (question: (typeof QUESTIONS)[number]): BoundOperation =>
    bindOperation(question, async (given, { caller, signal }) => {
      const { repository: named = directory, ...input } = given;
      // What is judged is what is read: a link could lead elsewhere by then.
      const repository = await realpath(named).catch(() => named);
      if (!isHost(caller) && !(await isOffered(repository)))
        throw new PalisadeError('policy_denied', 'this server offers no repository there', {
          why: "a repository is named by its path on the server's machine",
          issues: [{ path: 'repository', message: 'it is not offered' }],
          next: 'name one at or below the directory that the server serves, or none for the one there',
        });
      return (await thread.ask({ tool: nameOf(question), directory: repository, input }, signal)) as never;
    });
  return { operations: QUESTIONS.map(bound), close: () => thread.close() };
}

import {
  changedNow,
  explainFile,
  fileNeighbors,
  findDecisions,
  handOff,
  IndexReport,
  isSafeToEdit,
  mapRepository,
  nameOf,
  type Operation,
  planEdit,
  prepareTask,
  rankRisk,
  RepositoryTask,
  reviewChange,
  TaskScope,
} from '@palisade/contracts';
import * as z from 'zod';
import { changed } from './answers/changed.ts';
import { decisions } from './answers/decisions.ts';
import { handoff } from './answers/handoff.ts';
import { repositoryMap } from './answers/map.ts';
import { explain, neighbors, plan, safe } from './answers/one-file.ts';
import { preflight } from './answers/preflight.ts';
import { ranking } from './answers/ranking.ts';
import { review } from './answers/review.ts';
import { clearTask, presentTask, scopeOf, startTask } from './answers/task.ts';
import { indexRepository } from './index-repository.ts';
import { type Memory, type MemoryOptions, openMemory } from './open-memory.ts';

/** An answer as a tool of agents. What runs commands is none: an agent that may do that has a shell. */
export interface MemoryTool {
  readonly name: string;
  readonly title: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** Whether something is kept. */
  readonly isChange: boolean;
  /** Where it is not as the others: those add or repeat, and take nothing back. */
  readonly hints?: { readonly destructiveHint?: boolean; readonly idempotentHint?: boolean };
  /** @param input what `input` has parsed. Errors: those of the answer. */
  readonly answer: (options: MemoryOptions, input: never) => Promise<unknown>;
}

/** A question about a repository, which can also be asked of a memory that is open. */
export interface RepositoryTool extends MemoryTool {
  readonly from: (memory: Memory, input: never) => unknown;
}

function tool<I extends z.ZodObject, O extends z.ZodObject>(
  name: string,
  title: string,
  input: I,
  output: O,
  body: (memory: Memory, input: z.output<I>) => z.input<O> | Promise<z.input<O>>,
  isChange = false,
): MemoryTool {
  return {
    name,
    title,
    input,
    output,
    isChange,
    answer: async (options, given: z.output<I>) => {
      using memory = await openMemory({ ...options, create: isChange });
      return await body(memory, given);
    },
  };
}

/** The tool of an operation; the repository is the one that the caller is in. */
function question<S extends z.core.$ZodLooseShape, O extends z.ZodObject>(
  operation: Operation<z.ZodObject<S>, O>,
  body: (memory: Memory, input: z.output<z.ZodObject<S>>) => z.input<O> | Promise<z.input<O>>,
): RepositoryTool {
  const input = operation.input.omit({ repository: true } as never) as unknown as z.ZodObject<S>;
  return { ...tool(nameOf(operation), operation.summary, input, operation.output, body), from: body };
}

const indexTool: MemoryTool = {
  name: 'repo_index',
  title: 'Bring what is known of the repository up to date; takes a while the first time',
  input: z.strictObject({}),
  output: IndexReport,
  isChange: true,
  answer: (options) => indexRepository(options),
};

/** What is asked about a repository, here or through a server: the operation says what, in both. */
export const repositoryTools: readonly RepositoryTool[] = [
  question(planEdit, (memory, input) => plan(memory, input.file, input.goal)),
  question(explainFile, (memory, input) => explain(memory, input.file)),
  question(isSafeToEdit, (memory, input) => safe(memory, input.file)),
  question(fileNeighbors, (memory, input) => neighbors(memory, input.file, input.limit)),
  question(rankRisk, (memory, input) => ranking(memory, input.limit)),
  question(changedNow, (memory) => changed(memory)),
  question(reviewChange, (memory, input) => review(memory, input.base)),
  question(handOff, (memory, input) => handoff(memory, input.base)),
  question(prepareTask, (memory, input) => preflight(memory, input.task, input.scope)),
  question(findDecisions, (memory, input) => decisions(memory, input.query, input.limit)),
  question(mapRepository, (memory, input) => repositoryMap(memory, input.tokens, input.around)),
];

/** Every answer of `pal repo` that an agent can use (WM-030 to WM-042). */
export const memoryTools: readonly MemoryTool[] = [
  indexTool,
  ...repositoryTools,
  tool(
    'repo_task_start',
    'Say what is being done on this branch, and where',
    z.strictObject({
      goal: z.string().min(1).max(2_000),
      scope: z.array(z.string().min(1).max(4_096)).max(100).default([]),
    }),
    RepositoryTask,
    (memory, input) => startTask(memory, input.goal, input.scope, false),
    true,
  ),
  tool(
    'repo_task_show',
    'The task of this branch and what is changed outside of it',
    z.strictObject({}),
    z.strictObject({ task: TaskScope.nullable() }),
    (memory) => {
      const task = presentTask(memory);
      return {
        task:
          task === undefined
            ? null
            : scopeOf(
                task,
                memory.changes.map(({ path }) => path),
              ),
      };
    },
  ),
  tool(
    'repo_task_clear',
    'The task of this branch is done',
    z.strictObject({}),
    z.strictObject({ status: z.enum(['cleared', 'none']) }),
    async (memory) => ({ status: (await clearTask(memory)) ? ('cleared' as const) : ('none' as const) }),
    true,
  ),
];

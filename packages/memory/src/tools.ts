import {
  ChangedReport,
  DecisionList,
  EditPlan,
  Explanation,
  IndexReport,
  NeighborReport,
  RepositoryHandoff,
  RepositoryMap,
  RepositoryReview,
  RepositoryTask,
  RiskRanking,
  SafetyReport,
  TaskScope,
} from '@palisade/contracts';
import * as z from 'zod';
import { changed } from './answers/changed.ts';
import { decisions } from './answers/decisions.ts';
import { handoff } from './answers/handoff.ts';
import { repositoryMap } from './answers/map.ts';
import { explain, neighbors, plan, safe } from './answers/one-file.ts';
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

const file = z.string().min(1).max(4_096).describe('a file of the repository, from its root');
const base = z
  .string()
  .min(1)
  .max(500)
  .optional()
  .describe('what to compare with; default: the commit before this one');
const limit = z.int().min(1).max(200);

const indexTool: MemoryTool = {
  name: 'repo_index',
  title: 'Bring what is known of the repository up to date; takes a while the first time',
  input: z.strictObject({}),
  output: IndexReport,
  isChange: true,
  answer: (options) => indexRepository(options),
};

/** Every answer of `pal repo` that an agent can use (WM-030 to WM-042). */
export const memoryTools: readonly MemoryTool[] = [
  indexTool,
  tool(
    'repo_plan',
    'Before a file is edited: in which steps, what to read and what to run',
    z.strictObject({ file, goal: z.string().max(2_000).default('') }),
    EditPlan,
    (memory, input) => plan(memory, input.file, input.goal),
  ),
  tool(
    'repo_explain',
    'What is known of a file: risk, what changes with it, links, tests, decisions',
    z.strictObject({ file }),
    Explanation,
    (memory, input) => explain(memory, input.file),
  ),
  tool(
    'repo_safe',
    'Whether a file can be edited as it is',
    z.strictObject({ file }),
    SafetyReport,
    (memory, input) => safe(memory, input.file),
  ),
  tool(
    'repo_neighbors',
    'The files that change in the same commits as a file',
    z.strictObject({ file, limit: limit.default(10) }),
    NeighborReport,
    (memory, input) => neighbors(memory, input.file, input.limit),
  ),
  tool(
    'repo_risk',
    'The files where changes go wrong most easily',
    z.strictObject({ limit: limit.default(20) }),
    RiskRanking,
    (memory, input) => ranking(memory, input.limit),
  ),
  tool(
    'repo_changed',
    'What is changed in the work tree now, and what that touches',
    z.strictObject({}),
    ChangedReport,
    (memory) => changed(memory),
  ),
  tool(
    'repo_review',
    'Every file that is changed since a commit, the most urgent first',
    z.strictObject({ base }),
    RepositoryReview,
    (memory, input) => review(memory, input.base),
  ),
  tool(
    'repo_handoff',
    'What whoever goes on has to know: task, change, checks',
    z.strictObject({ base }),
    RepositoryHandoff,
    (memory, input) => handoff(memory, input.base),
  ),
  tool(
    'repo_decisions',
    'What was decided, by commits and closed reviews whose words hold a text',
    z.strictObject({ query: z.string().min(1).max(500), limit: limit.default(10) }),
    DecisionList,
    (memory, input) => decisions(memory, input.query, input.limit),
  ),
  tool(
    'repo_map',
    'The most important files and what they define, within a budget of tokens',
    z.strictObject({
      tokens: z.int().min(50).max(50_000).default(2_000),
      around: z.array(file).max(20).default([]).describe('files that matter now'),
    }),
    RepositoryMap,
    (memory, input) => repositoryMap(memory, input.tokens, input.around),
  ),
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

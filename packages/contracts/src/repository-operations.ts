import * as z from 'zod';
import { operation } from './operation.ts';
import {
  ChangedReport,
  DecisionList,
  EditPlan,
  Explanation,
  NeighborReport,
  RepositoryHandoff,
  RepositoryMap,
  RepositoryPreflight,
  RepositoryReview,
  RiskRanking,
  SafetyReport,
} from './repository-answers.ts';
import { ArgumentText } from './schema.ts';

/*
 * What repository memory answers through a server, by WM-020 to WM-037. Who may ask is who may have work done in a repository, which
 * could read the same out of it.
 */

const repository = ArgumentText.max(4_096)
  .describe(
    'Absolute path, on the machine of the server, of the repository that is asked about; default: the one that is served',
  )
  .optional();

/** An operation that asks about a repository; `shape` is what it asks besides. */
function question<S extends z.ZodRawShape, O extends z.ZodObject>(
  verb: string,
  summary: string,
  shape: S,
  output: O,
) {
  return operation({
    id: `repo.${verb}`,
    method: 'GET',
    path: `/v1/projects/{project}/repository/${verb}`,
    summary,
    effect: 'read',
    access: 'write',
    input: z.strictObject({ ...shape, repository }),
    output,
    errors: ['policy_denied', 'not_found', 'unsafe_path', 'requirements_unmet', 'overloaded', 'timed_out'],
  });
}

const file = ArgumentText.max(4_096).describe('A file of the repository, from its root');
const base = ArgumentText.max(500)
  .optional()
  .describe('What to compare with; default: the commit before this one');
const limit = z.int().min(1).max(200).describe('Most entries of the answer');

export const planEdit = question(
  'plan',
  'Before a file is edited: in which steps, what to read and what to run',
  { file, goal: z.string().max(2_000).default('').describe('What the edit is for') },
  EditPlan,
);

export const explainFile = question(
  'explain',
  'What is known of a file: risk, what changes with it, links, tests, decisions',
  { file },
  Explanation,
);

export const isSafeToEdit = question('safe', 'Whether a file can be edited as it is', { file }, SafetyReport);

export const fileNeighbors = question(
  'neighbors',
  'The files that change in the same commits as a file',
  { file, limit: limit.default(10) },
  NeighborReport,
);

export const rankRisk = question(
  'risk',
  'The files where changes go wrong most easily',
  { limit: limit.default(20) },
  RiskRanking,
);

export const changedNow = question(
  'changed',
  'What is changed in the work tree now, and what that touches',
  {},
  ChangedReport,
);

export const reviewChange = question(
  'review',
  'Every file that is changed since a commit, the most urgent first',
  { base },
  RepositoryReview,
);

export const handOff = question(
  'handoff',
  'What whoever goes on has to know: task, change, checks',
  { base },
  RepositoryHandoff,
);

export const prepareTask = question(
  'preflight',
  'Before a task is begun: the files it is about, how safe each is, what to read and what to run',
  {
    task: z.string().min(1).max(2_000).describe('What is to be done'),
    scope: z
      .array(file)
      .max(20)
      .default([])
      .describe('Files and folders that it is about; default: what is changed'),
  },
  RepositoryPreflight,
);

export const findDecisions = question(
  'decisions',
  'What was decided: messages of commits that hold a text, and closed reviews where they are at hand',
  { query: z.string().min(1).max(500).describe('A text that the message holds'), limit: limit.default(10) },
  DecisionList,
);

export const mapRepository = question(
  'map',
  'The most important files and what they define, within a budget of tokens',
  {
    tokens: z.int().min(50).max(50_000).default(2_000).describe('About how long the text may be'),
    around: z.array(file).max(20).default([]).describe('Files that matter now'),
  },
  RepositoryMap,
);

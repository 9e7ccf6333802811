import { CHECK_TIERS, type CheckTier } from '@palisade/contracts';
import { type CheckCommand, type Proposal, typed } from './command.ts';
import {
  goCommands,
  goRoot,
  pythonCommands,
  pythonRoot,
  rubyCommands,
  rubyRoot,
  toolCommands,
  toolRoot,
} from './other-commands.ts';
import { ProjectFiles } from './project-files.ts';
import { scriptCommands, scriptRoot } from './script-commands.ts';
import { isRegularFile } from '../repository/file-content.ts';
import type { Repository } from '../repository/repository.ts';

/** The commands of each tier; each holds those of the one before it (WM-040). */
export type CheckPlan = Readonly<Record<CheckTier, readonly CheckCommand[]>>;

interface Ecosystem {
  /** The folder of the project that a file belongs to, or undefined. */
  readonly rootOf: (files: ProjectFiles, path: string) => string | undefined;
  /** What it proposes for the files of one of its projects. */
  readonly propose: (
    files: ProjectFiles,
    root: string,
    targets: readonly string[],
    tests: readonly string[],
  ) => Proposal;
}

const ECOSYSTEMS: readonly Ecosystem[] = [
  { rootOf: scriptRoot, propose: scriptCommands },
  { rootOf: goRoot, propose: goCommands },
  { rootOf: pythonRoot, propose: pythonCommands },
  { rootOf: rubyRoot, propose: rubyCommands },
  { rootOf: toolRoot, propose: toolCommands },
];

/**
 * The project's own commands for a change, across its ecosystems and, within each, its projects.
 *
 * @param targets files that change
 * @param tests files that test them
 */
export function planChecks(
  repository: Pick<Repository, 'workTree'>,
  targets: readonly string[],
  tests: readonly string[],
): CheckPlan {
  const files = new ProjectFiles(repository);
  const present = [...new Set(tests)].filter((path) => isRegularFile(repository, path));
  const proposals = ECOSYSTEMS.flatMap(({ rootOf, propose }) => {
    const own = Map.groupBy(targets, (path) => rootOf(files, path));
    const theirs = Map.groupBy(present, (path) => rootOf(files, path));
    const roots = new Set([...own.keys(), ...theirs.keys()]);
    if (roots.size === 0) roots.add(rootOf(files, '.'));
    return [...roots].flatMap((root) =>
      root === undefined ? [] : [propose(files, root, own.get(root) ?? [], theirs.get(root) ?? [])],
    );
  });
  const plan: Record<CheckTier, readonly CheckCommand[]> = { fast: [], safe: [], full: [] };
  let before: readonly CheckCommand[] = [];
  for (const tier of CHECK_TIERS) {
    const added = proposals.flatMap((proposal) => proposal[tier]);
    before = [...new Map([...before, ...added].map((each) => [typed(each), each])).values()];
    plan[tier] = before;
  }
  return plan;
}

/** The first tier that has commands; undefined of a project that none are known of. */
export function smallestTier(plan: CheckPlan): CheckTier | undefined {
  return CHECK_TIERS.find((tier) => plan[tier].length > 0);
}

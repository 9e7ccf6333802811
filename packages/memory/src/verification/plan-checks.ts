import { CHECK_TIERS, type CheckTier } from '@palisade/contracts';
import { type CheckCommand, type Proposal, typed } from './command.ts';
import { goCommands, pythonCommands, rubyCommands, toolCommands } from './other-commands.ts';
import { ProjectFiles } from './project-files.ts';
import { scriptCommands } from './script-commands.ts';
import type { Repository } from '../repository/repository.ts';

/** The commands of each tier; each holds those of the one before it (WM-040). */
export type CheckPlan = Readonly<Record<CheckTier, readonly CheckCommand[]>>;

/**
 * The project's own commands for a change, across its ecosystems.
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
  const proposals: readonly Proposal[] = [
    scriptCommands(files, targets, tests),
    goCommands(files, targets, tests),
    pythonCommands(files, targets, tests),
    rubyCommands(files, targets, tests),
    toolCommands(files, targets),
  ];
  const plan: Record<CheckTier, readonly CheckCommand[]> = { fast: [], safe: [], full: [] };
  let before: readonly CheckCommand[] = [];
  for (const tier of CHECK_TIERS) {
    const added = proposals.flatMap((proposal) => proposal[tier]);
    before = [...new Map([...before, ...added].map((each) => [typed(each), each])).values()];
    plan[tier] = before;
  }
  return plan;
}

import { PalisadeError, type submitPlan } from '@palisade/contracts';
import type { Input, Invocation } from './invocation.ts';
import { foreignName } from './output/foreign-text.ts';
import { findBareRepository, findWorkingTree } from './project.ts';
import type { FlagValues } from './tree/declaration.ts';
import type { runCommand, wishFlags } from './tree/run-commands.ts';
import { UsageError } from './tree/usage-error.ts';
import { userPath } from './user-path.ts';

/** What a person asks for beside the plan, from the flags and settings of every command that submits one. */
export function wishes(
  invocation: Invocation,
  flags: Pick<FlagValues<typeof runCommand>, keyof typeof wishFlags>,
): Omit<Input<typeof submitPlan>, 'plan' | 'run_id' | 'dry_run'> {
  if (flags.empty && (flags.repo !== undefined || flags.base !== undefined))
    throw new UsageError('--empty excludes --repo and --base');
  const repository = flags.empty
    ? undefined
    : flags.repo === undefined
      ? repositoryHere(invocation.directory)
      : userPath(invocation.directory, flags.repo);
  const sandbox = invocation.config.get('sandbox');
  return {
    ...(repository === undefined ? {} : { repository }),
    ...(flags.base === undefined ? {} : { base: flags.base }),
    ...(flags.title === undefined ? {} : { title: flags.title }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(invocation.config.isOn('allow_network') ? { allow_network: true } : {}),
    ...(invocation.config.isOn('require_isolation') ? { require_isolation: true } : {}),
  };
}

/** Nobody named a repository, and there is none. */
export function warnEmpty(invocation: Invocation): void {
  invocation.err.line(
    `warning: the workspace is empty: ${foreignName(invocation.directory)} is in no git repository (--repo DIR names one)`,
  );
}

/** A bare repository is no accident: an empty workspace in its place would be. */
function repositoryHere(directory: string): string | undefined {
  const tree = findWorkingTree(directory);
  const bare = tree === undefined ? findBareRepository(directory) : undefined;
  if (bare === undefined) return tree;
  throw new PalisadeError('requirements_unmet', `${bare} is a bare git repository, without a working tree`, {
    next: 'run in a clone of it, or say where to start: --repo . for its HEAD, --empty for nothing',
  });
}

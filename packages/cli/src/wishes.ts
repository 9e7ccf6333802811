import { isAbsolute } from 'node:path';
import { isPalisadeError, PalisadeError, type submitPlan } from '@palisade/contracts';
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
      : repositoryNamed(invocation, flags.repo);
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

/**
 * Submits what names a repository. A server tells nobody of its own directories: which path it was that it refused is said here, where it
 * was named.
 */
export async function submitting<T>(repository: string | undefined, submission: Promise<T>): Promise<T> {
  try {
    return await submission;
  } catch (error) {
    if (repository === undefined || !isPalisadeError(error, 'policy_denied')) throw error;
    if (error.issues[0]?.path !== 'repository') throw error;
    throw new PalisadeError('policy_denied', `this server offers no repository at ${repository}`, {
      why: error.why ?? error.message,
      next: error.next ?? '--repo PATH',
      cause: error,
    });
  }
}

/** A server knows nothing of the directory that a relative path starts from. */
function repositoryNamed({ directory, config }: Invocation, name: string): string {
  const path = userPath(directory, name);
  if (config.get('server') === undefined || isAbsolute(name)) return path;
  throw new UsageError(`over a server, --repo is an absolute path on its machine, not ${foreignName(name)}`, {
    next: `--repo ${foreignName(path)} where that machine is this one; else the path of the repository there`,
  });
}

/** Nobody named a repository, and there is none. */
export function warnEmpty({ directory, config, err }: Invocation): void {
  const way =
    config.get('server') === undefined ? '--repo DIR names one' : '--repo PATH names one of the server';
  err.line(`warning: the workspace is empty: ${foreignName(directory)} is in no git repository (${way})`);
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

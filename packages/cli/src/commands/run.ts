import { PalisadeError, submitPlan } from '@palisade/contracts';
import { rememberRun } from '../completion/cache.ts';
import { followAndReport } from '../follow/follow-command.ts';
import type { Input, Invocation } from '../invocation.ts';
import { foreignLine, foreignName } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { renderRow } from '../output/row.ts';
import { sandboxText } from '../output/sandbox-text.ts';
import { count } from '../output/time.ts';
import { findBareRepository, findWorkingTree } from '../project.ts';
import { parseJson, readInput } from '../read-input.ts';
import { controlPlaneHome, setUp } from '../set-up.ts';
import type { FlagValues } from '../tree/declaration.ts';
import type { runCommand } from '../tree/run-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import { userPath } from '../user-path.ts';
import { wholeNumber } from '../whole-number.ts';
import type { Handler } from './handler.ts';

/** `pal run PLAN`: submit, make sure an engine is alive, follow. */
export const execute: Handler<typeof runCommand> = async (invocation, args, flags) => {
  if (flags.watch && flags.detach) throw new UsageError('--watch and --detach exclude each other');
  const plan = parseJson(await readInput(invocation, args.plan), args.plan, 'invalid_plan');
  const request = submission(invocation, plan, flags);
  await makeReady(invocation);
  if (request.repository === undefined && !flags.empty)
    invocation.err.line(
      `warning: the workspace is empty: ${foreignName(invocation.directory)} is in no git repository (--repo DIR names one)`,
    );
  const answer = await invocation.call(submitPlan, request);
  for (const warning of answer.warnings) invocation.err.line(`warning: ${foreignLine(warning)}`);
  const title = `${count(answer.items, 'item')}, ${sandboxText(answer)}`;
  const row = (word: string): string =>
    renderRow({ state: word, id: answer.run_id, title }, invocation.settings.errorStyle);
  if (invocation.isDryRun) {
    emit(invocation, {
      json: answer,
      records: [answer],
      ids: [answer.run_id],
      text: () => [`would start  ${answer.run_id}  ${title}`],
    });
    return 0;
  }
  const plane = await invocation.controlPlane();
  rememberRun(plane.directory, answer.run_id, flags.title ?? '');
  await plane.ensureEngine();
  if (!answer.created)
    invocation.err.line(
      `note: ${answer.run_id} was there already, and nothing new was started (--run-id NAME starts another)`,
    );
  if (flags.detach) {
    if (!invocation.settings.isQuiet) invocation.err.line(row('queued'));
    emit(invocation, {
      json: answer,
      records: [answer],
      ids: [answer.run_id],
      text: () => [answer.run_id],
    });
    invocation.hint(`pal watch ${answer.run_id}`);
    return 0;
  }
  return followAndReport(invocation, answer.run_id, flags);
};

/** A repository without a control plane gets one, unless the user wants to be told of every step. */
async function makeReady(invocation: Invocation): Promise<void> {
  const home = controlPlaneHome(invocation);
  const isRepository = findWorkingTree(invocation.directory) !== undefined;
  if (!home.created || !isRepository || invocation.isDryRun || !invocation.settings.isInput) return;
  await setUp(invocation);
  invocation.err.line(`note: control plane created in ${foreignName(home.directory)} (pal init)`);
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

function submission(
  invocation: Invocation,
  plan: unknown,
  flags: FlagValues<typeof runCommand>,
): Input<typeof submitPlan> {
  if (flags.empty && (flags.repo !== undefined || flags.base !== undefined))
    throw new UsageError('--empty excludes --repo and --base');
  const repository = flags.empty
    ? undefined
    : flags.repo === undefined
      ? repositoryHere(invocation.directory)
      : userPath(invocation.directory, flags.repo);
  const sandbox = invocation.config.get('sandbox');
  return {
    plan,
    ...(repository === undefined ? {} : { repository }),
    ...(flags.base === undefined ? {} : { base: flags.base }),
    ...(flags.runId === undefined ? {} : { run_id: flags.runId }),
    ...(flags.title === undefined ? {} : { title: flags.title }),
    ...(flags.priority === undefined ? {} : { priority: wholeNumber(flags.priority, '--priority') }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(invocation.config.isOn('allow_network') ? { allow_network: true } : {}),
    ...(invocation.config.isOn('require_isolation') ? { require_isolation: true } : {}),
    ...invocation.rehearsed,
  };
}

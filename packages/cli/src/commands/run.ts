import { isPalisadeError, PalisadeError, submitPlan } from '@palisade/contracts';
import { rememberRun } from '../completion/cache.ts';
import { followAndReport } from '../follow/follow-command.ts';
import type { Input, Invocation } from '../invocation.ts';
import { foreignLine } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { renderRow } from '../output/row.ts';
import { sandboxText } from '../output/sandbox-text.ts';
import { count } from '../output/time.ts';
import { planAgain } from '../plan-file.ts';
import { findWorkingTree } from '../project.ts';
import { parseJson, readInput } from '../read-input.ts';
import { controlPlaneHome, sayCreated, setUp } from '../set-up.ts';
import type { runCommand } from '../tree/run-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import { submitting, warnEmpty, wishes } from '../wishes.ts';
import { wholeNumber } from '../whole-number.ts';
import type { Handler } from './handler.ts';

/** `pal run PLAN`: submit, make sure an engine is alive, follow. */
export const execute: Handler<typeof runCommand> = async (invocation, args, flags) => {
  if (flags.watch && flags.detach) throw new UsageError('--watch and --detach exclude each other');
  const plan = parseJson(await readInput(invocation, args.plan), args.plan, 'invalid_plan');
  const request: Input<typeof submitPlan> = {
    plan,
    ...wishes(invocation, flags),
    ...(flags.runId === undefined ? {} : { run_id: flags.runId }),
    ...(flags.priority === undefined ? {} : { priority: wholeNumber(flags.priority, '--priority') }),
    ...invocation.rehearsed,
  };
  await makeReady(invocation);
  if (request.repository === undefined && !flags.empty) warnEmpty(invocation);
  const answer = await submitting(request.repository, invocation.call(submitPlan, request)).catch(
    (error: unknown) => {
      throw namingPlan(error, args.plan);
    },
  );
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

/** An invalid plan, with the command that checks the file it came from. */
function namingPlan(error: unknown, file: string): unknown {
  if (!isPalisadeError(error, 'invalid_plan')) return error;
  const { code, message, why, issues, origin } = error;
  return new PalisadeError(code, message, {
    ...(why === undefined ? {} : { why }),
    ...(origin === undefined ? {} : { origin }),
    issues,
    next: planAgain(file),
    cause: error,
  });
}

/** A repository without a control plane gets one, unless the user wants to be told of every step. */
async function makeReady(invocation: Invocation): Promise<void> {
  // A server has its control plane.
  if (invocation.config.get('server') !== undefined) return;
  const home = controlPlaneHome(invocation);
  const isRepository = findWorkingTree(invocation.directory) !== undefined;
  if (!home.created || !isRepository || invocation.isDryRun || !invocation.settings.isInput) return;
  await setUp(invocation);
  sayCreated(invocation, home);
}

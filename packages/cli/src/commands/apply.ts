import { getRun } from '@palisade/contracts';
import type { ApplyPlan } from '@palisade/workspace';
import type { Invocation } from '../invocation.ts';
import { Interrupted } from '../interrupt.ts';
import { foreignLine } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { count } from '../output/time.ts';
import { carryOut, prepareApply, takeBack } from '../products/apply-run.ts';
import { confirm } from '../prompt.ts';
import type { applyCommand } from '../tree/product-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';

/**
 * `pal apply RUN`: every patch or none. What could run by itself once it is in the checkout is shown
 * first and needs a yes (FF-131).
 */
export const execute: Handler<typeof applyCommand> = async (invocation, args, flags) => {
  if (flags.revert) {
    if (flags.dryRun || flags.item.length > 0)
      throw new UsageError('--revert takes back everything and excludes --dry-run and --item');
    return revert(invocation, args.run);
  }
  const prepared = await prepareApply(invocation, args.run, flags.item);
  const { plan, run, items } = prepared;
  for (const line of warningLines(invocation, plan)) invocation.err.line(line);
  if (plan.warnings.length > 0 && !flags.dryRun && !flags.yes) {
    const isYes = await confirm(invocation, 'apply these files as well?', '--yes');
    if (!isYes) throw new Interrupted('not applied');
  }
  const isNothing = plan.files.length === 0;
  const record = flags.dryRun || isNothing ? undefined : await carryOut(invocation, prepared);
  const answer = {
    run_id: run,
    applied: !flags.dryRun && !isNothing,
    items,
    files: plan.files,
    warnings: plan.warnings,
    ...(record === undefined ? {} : { record }),
  };
  emit(invocation, {
    json: answer,
    records: plan.files,
    ids: plan.files.map((file) => file.path),
    text: () => [
      ...plan.files.map(
        (file) =>
          `  ${file.status} ${foreignLine(file.path)}  ${file.binary ? 'binary' : `+${file.added} -${file.deleted}`}`,
      ),
      isNothing
        ? `nothing to apply: ${items.length === 0 ? `${run} left no patch` : `the files are already as ${run} left them`}`
        : `${flags.dryRun ? 'would apply' : 'applied'}  ${run}  ${count(items.length, 'patch', 'patches')}, ${count(plan.files.length, 'file')}`,
    ],
  });
  if (answer.applied) invocation.hint('git diff', `pal apply ${run} --revert`);
  else if (flags.dryRun && !isNothing) invocation.hint(`pal apply ${run}`);
  return 0;
};

function warningLines(invocation: Invocation, plan: ApplyPlan): string[] {
  const { paint } = invocation.settings.errorStyle;
  const merged = plan.merged.map((item) => `${item} was merged: the files moved on since the run began`);
  return [...plan.warnings, ...merged].map((text) => `${paint('warn', 'warning')}  ${foreignLine(text)}`);
}

async function revert(invocation: Invocation, ref: string): Promise<number> {
  const { run } = await invocation.call(getRun, { run: ref });
  const files = await takeBack(invocation, run.id);
  emit(invocation, {
    json: { run_id: run.id, applied: false, files },
    records: files.map((path) => ({ path })),
    ids: files,
    text: () => [
      ...files.map((path) => `  ${foreignLine(path)}`),
      `reverted  ${run.id}  ${count(files.length, 'file')}`,
    ],
  });
  return 0;
}

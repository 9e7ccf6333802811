import { getRun } from '@palisade/contracts';
import type { Invocation } from '../invocation.ts';
import { Interrupted } from '../interrupt.ts';
import { foreignLine, foreignName } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { count } from '../output/time.ts';
import { withApplyLock } from '../products/apply-lock.ts';
import type { AppliedAnswer } from '../products/applied-record.ts';
import {
  answeredBefore,
  answerOf,
  carryOut,
  type PreparedApply,
  prepareApply,
  takeBack,
  whatIsApplied,
} from '../products/apply-run.ts';
import { findWorkingTree } from '../project.ts';
import { confirm } from '../prompt.ts';
import { applyCommand } from '../tree/product-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';

/**
 * `pal apply RUN`: every patch or none. What could run by itself once it is in the checkout is shown
 * first and needs a yes (FF-131).
 */
export const execute: Handler<typeof applyCommand> = async (invocation, args, flags) => {
  if (flags.revert) {
    if (flags.item.length > 0) throw new UsageError('--revert takes back everything and excludes --item');
    return revert(invocation, args.run);
  }
  const told = new Set<string>();
  const tell = (warnings: readonly string[]): void => {
    const fresh = warnings.filter((text) => !told.has(text));
    warn(invocation, fresh);
    for (const text of fresh) told.add(text);
  };
  if (invocation.isDryRun) {
    const prepared = await prepareApply(invocation, args.run, flags.item);
    tell(warningsOf(prepared));
    return print(invocation, answerOf(prepared, false));
  }
  const agreed = new Set<string>();
  // Nobody else waits while a person thinks: what was proved before the question is proved again after it.
  for (;;) {
    const step = await exclusively(invocation, async () => {
      const before = await answeredBefore(invocation, args.run);
      if (before !== undefined) {
        tell(before.warnings);
        return { answer: before };
      }
      const prepared = await prepareApply(invocation, args.run, flags.item);
      tell(warningsOf(prepared));
      const { warnings, files } = prepared.plan;
      if (!flags.yes && warnings.some((text) => !agreed.has(text))) return { asks: warnings };
      return {
        answer: files.length === 0 ? answerOf(prepared, false) : await carryOut(invocation, prepared),
      };
    });
    if (step.answer !== undefined) return print(invocation, step.answer);
    const isYes = await confirm(invocation, applyCommand.asks.executable);
    if (!isYes) throw new Interrupted('not applied');
    for (const text of step.asks) agreed.add(text);
  }
};

async function exclusively<T>(invocation: Invocation, body: () => Promise<T>): Promise<T> {
  const { directory } = await invocation.controlPlane();
  return withApplyLock(directory, invocation.interrupted, body);
}

function warningsOf({ plan, notes }: PreparedApply): string[] {
  const merged = plan.merged.map((item) => `${item} was merged: the files moved on since the run began`);
  return [...plan.warnings, ...notes, ...merged];
}

function print(invocation: Invocation, answer: AppliedAnswer): number {
  const { run_id: run, items, files } = answer;
  const isNothing = files.length === 0;
  emit(invocation, {
    json: answer,
    records: files,
    ids: files.map((file) => file.path),
    text: () => [
      ...files.map(
        (file) =>
          `  ${file.status} ${foreignName(file.path)}  ${file.binary ? 'binary' : `+${file.added} -${file.deleted}`}`,
      ),
      isNothing
        ? `nothing to apply: ${items.length === 0 ? `${run} left no patch` : `the files are already as ${run} left them`}`
        : `${answer.applied ? 'applied' : 'would apply'}  ${run}  ${count(items.length, 'patch', 'patches')}, ${count(files.length, 'file')}`,
    ],
  });
  const look = findWorkingTree(invocation.directory) === undefined ? [] : ['git diff'];
  if (answer.applied) invocation.hint(...look, `pal apply ${run} --revert`);
  else if (!isNothing) invocation.hint(`pal apply ${run}`);
  return 0;
}

function warn({ err, settings }: Invocation, warnings: readonly string[]): void {
  for (const text of warnings)
    err.line(`${settings.errorStyle.paint('warn', 'warning')}  ${foreignLine(text)}`);
}

async function revert(invocation: Invocation, ref: string): Promise<number> {
  const { run } = await invocation.call(getRun, { run: ref });
  const files = invocation.isDryRun
    ? await whatIsApplied(invocation, run.id)
    : await exclusively(invocation, () => takeBack(invocation, run.id));
  emit(invocation, {
    json: { run_id: run.id, applied: invocation.isDryRun, files },
    records: files.map((path) => ({ path })),
    ids: files,
    text: () => [
      ...files.map((path) => `  ${foreignName(path)}`),
      `${invocation.isDryRun ? 'would revert' : 'reverted'}  ${run.id}  ${count(files.length, 'file')}`,
    ],
  });
  return 0;
}

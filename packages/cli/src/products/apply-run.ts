import { readFile } from 'node:fs/promises';
import { getRun, isPalisadeError, PalisadeError, RUN_TERMINAL, verdictWord } from '@palisade/contracts';
import {
  type ApplyPlan,
  applyPlanned,
  isNotPutBack,
  planApply,
  recordOf,
  revertApplied,
} from '@palisade/workspace';
import type { Invocation } from '../invocation.ts';
import { findWorkingTree } from '../project.ts';
import {
  addStep,
  type AppliedAnswer,
  type AppliedStep,
  answerStep,
  dropStep,
  readSteps,
  recordOfStep,
} from './applied-record.ts';
import { type ItemPatch, patchesOf } from './products.ts';
import { withScratch } from './scratch.ts';

/** Everything known before a file is touched. */
export interface PreparedApply {
  readonly run: string;
  readonly items: readonly string[];
  readonly plan: ApplyPlan;
  /** What did not go well in the run, for whoever takes its patches to be complete and checked. */
  readonly notes: readonly string[];
}

/**
 * Proves that a run's patches that are not applied yet fit the working tree `directory` is in. Touches
 * nothing. Raises `patch_conflict`, `target_dirty`, `credential_in_text`, `requirements_unmet` when the
 * run, or an item that was named, has not ended, or `already_exists` when everything asked for is applied.
 */
export async function prepareApply(
  invocation: Invocation,
  ref: string,
  items: readonly string[],
): Promise<PreparedApply> {
  await refuseUnfinished(invocation, ref, items);
  return withScratch((folder) => prove(invocation, folder, ref, items));
}

async function prove(
  invocation: Invocation,
  folder: string,
  ref: string,
  items: readonly string[],
): Promise<PreparedApply> {
  const { run, patches } = await patchesOf(invocation, folder, ref, items);
  const { directory } = await invocation.controlPlane();
  const steps = readSteps(directory, run);
  const applied = new Set(steps.flatMap((step) => step.items));
  const fresh = patches.filter((patch) => !applied.has(patch.item));
  if (patches.length > 0 && fresh.length === 0) {
    const what =
      items.length === 0 ? `${run} is` : `${items.join(', ')} of ${run} ${items.length === 1 ? 'is' : 'are'}`;
    throw new PalisadeError('already_exists', `${what} applied here already`, {
      next: `pal apply ${run} --revert`,
    });
  }
  for (const patch of fresh) await refuseCredentials(invocation, run, patch);
  const isOutside = findWorkingTree(invocation.directory) === undefined;
  const plan = await planApply({ directory: invocation.directory, patches: fresh }).catch(
    (error: unknown) => {
      throw isOutside && isPalisadeError(error, 'patch_conflict')
        ? fitsNowhere(invocation, run, error)
        : error;
    },
  );
  const chosen = fresh.map((patch) => patch.item);
  return {
    run,
    items: chosen,
    plan: withoutOurs(plan, steps),
    notes: [
      ...(isOutside && fresh.length > 0
        ? [`${invocation.directory} is in no git repository: its files are changed as they lie there`]
        : []),
      ...(await notesOn(invocation, run, chosen, items.length > 0)),
    ],
  };
}

/** Where there is no repository, that is what has to be said of a patch that does not fit. */
function fitsNowhere({ directory }: Invocation, run: string, { message }: PalisadeError): PalisadeError {
  return new PalisadeError(
    'patch_conflict',
    `${directory} is in no git repository, and the patch does not fit it`,
    {
      why: message,
      next: `pal apply ${run} in a clone of the repository that the run was made from`,
    },
  );
}

async function notesOn(
  invocation: Invocation,
  ref: string,
  chosen: readonly string[],
  isPicked: boolean,
): Promise<string[]> {
  const { items } = await invocation.call(getRun, { run: ref });
  const unwell = isPicked ? [] : items.filter((item) => item.state !== 'done');
  const unchecked = items.filter(
    (item) => chosen.includes(item.id) && item.product?.verify?.passed === false,
  );
  return [
    ...(unwell.length === 0
      ? []
      : [`not all of this run ended well: ${unwell.map(({ id, state }) => `${id} ${state}`).join(', ')}`]),
    ...unchecked.map(
      ({ id, product }) =>
        `the self-check of ${id} ${verdictWord(product) === 'failed' ? 'failed' : 'is not counted'}`,
    ),
  ];
}

/** The plan without warnings of uncommitted changes that are exactly what earlier items of the run left. */
function withoutOurs(plan: ApplyPlan, steps: readonly AppliedStep[]): ApplyPlan {
  const left = new Map(
    steps.flatMap((step) => step.record.states.map((state) => [state.path, state.after] as const)),
  );
  const ours = plan.states.filter(({ path, before }) => {
    const after = left.get(path);
    return after != null && before?.oid === after.oid && before.mode === after.mode;
  });
  const isOurs = (warning: string): boolean =>
    ours.some(({ path }) => warning.startsWith(`${path} has uncommitted changes`));
  return { ...plan, warnings: plan.warnings.filter((warning) => !isOurs(warning)) };
}

/**
 * Applies what was proved, record first. When files are left half changed
 * the record stays, so that the rest can be taken back.
 */
export async function carryOut(invocation: Invocation, prepared: PreparedApply): Promise<AppliedAnswer> {
  const { directory } = await invocation.controlPlane();
  const { run, items, plan } = prepared;
  const record = addStep(directory, run, items, recordOf(plan));
  try {
    await applyPlanned(plan);
  } catch (error) {
    // Otherwise nothing was changed, or everything was put back: there is nothing of this step to revert.
    if (!isNotPutBack(error)) dropStep(directory, run);
    throw error;
  }
  const answer = { ...answerOf(prepared, true), record };
  answerStep(directory, run, { key: invocation.idempotencyKey, answer });
  return answer;
}

/** The answer to an application that is only proved (`applied` false) or carried out. */
export function answerOf({ run, items, plan, notes }: PreparedApply, applied: boolean): AppliedAnswer {
  return { run_id: run, applied, items, files: plan.files, warnings: [...plan.warnings, ...notes] };
}

/** The answer this very call has got before, by its idempotency key; undefined when it is new. */
export async function answeredBefore(
  invocation: Invocation,
  ref: string,
): Promise<AppliedAnswer | undefined> {
  const { directory } = await invocation.controlPlane();
  const { run } = await invocation.call(getRun, { run: ref });
  const answered = readSteps(directory, run.id).map((step) => step.answered);
  return answered.find((call) => call?.key === invocation.idempotencyKey)?.answer;
}

/** The files that `apply` changed for a run. `not_found` when nothing is applied. */
export async function whatIsApplied(invocation: Invocation, run: string): Promise<readonly string[]> {
  const steps = await appliedSteps(invocation, run);
  return [...new Set(steps.flatMap((step) => step.record.states.map((state) => state.path)))].toSorted();
}

async function appliedSteps(invocation: Invocation, run: string): Promise<readonly AppliedStep[]> {
  const { directory } = await invocation.controlPlane();
  const steps = readSteps(directory, run);
  if (steps.length > 0) return steps;
  throw new PalisadeError('not_found', `nothing of ${run} is applied here`, { next: `pal apply ${run}` });
}

/** Takes back everything `apply` did for a run, newest first. Gives the files. `not_found` when nothing is applied. */
export async function takeBack(invocation: Invocation, run: string): Promise<readonly string[]> {
  const { directory } = await invocation.controlPlane();
  const steps = await appliedSteps(invocation, run);
  const files = new Set<string>();
  for (const step of steps.toReversed()) {
    const reverted = await revertApplied(recordOfStep(directory, run, step), invocation.directory);
    for (const file of reverted.files) files.add(file);
    dropStep(directory, run);
  }
  return [...files].toSorted();
}

/** A run that goes on may still add patches; only items that are named and done are safe to take. */
async function refuseUnfinished(
  invocation: Invocation,
  ref: string,
  names: readonly string[],
): Promise<void> {
  const { run, items } = await invocation.call(getRun, { run: ref });
  if (RUN_TERMINAL.has(run.state)) return;
  const open = items
    .filter((item) => names.includes(item.id) && item.state !== 'done')
    .map((item) => item.id);
  if (names.length > 0 && open.length === 0) return;
  const done = items.filter((item) => item.state === 'done').map((item) => item.id);
  const what =
    names.length === 0 ? `${run.id} is still going` : `${open.join(', ')} of ${run.id} is not done`;
  throw new PalisadeError('requirements_unmet', what, {
    ...(done.length === 0 ? {} : { why: `done so far, for --item: ${done.slice(0, 10).join(', ')}` }),
    next: `pal watch ${run.id}`,
  });
}

/** A patch that carries a credential must not reach a repository (DI-048). */
async function refuseCredentials(invocation: Invocation, run: string, patch: ItemPatch): Promise<void> {
  const found = await invocation.connections.findCredential?.(await readFile(patch.file));
  if (found === undefined || found === null) return;
  throw new PalisadeError(
    'credential_in_text',
    `the patch of ${patch.item} holds what looks like a ${found.pattern}`,
    {
      why: found.line === null ? 'found in the patch' : `line ${found.line} of the patch`,
      next: `pal diff ${run} --item ${patch.item}`,
    },
  );
}

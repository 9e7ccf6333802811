import { type CallContext, type cancelRun, PalisadeError } from '@palisade/contracts';
import { bumpControl, requestCancel, resolveRun, runStream } from '@palisade/runs';
import { answerOrRehearse, receiptOf, type WriteTx } from '@palisade/kernel';
import type * as z from 'zod';
import { requestItemCancel } from '../engine/item-store.ts';
import { endedRun } from './ended-run.ts';
import type { PlanDeps } from './plan-deps.ts';

type Input = z.output<(typeof cancelRun)['input']>;
type Output = z.output<(typeof cancelRun)['output']>;

/**
 * Records the wish to stop a run or one item. Works from any process at any moment; the run's owner
 * really stops the work (DI-176). Repeating it changes nothing. A run that has ended is `invalid_state`.
 */
export async function cancel(deps: PlanDeps, input: Input, context: CallContext): Promise<Output> {
  const wish = async (tx: WriteTx): Promise<Output> => {
    const run = await resolveRun(tx, context.project, input.run);
    if (run.finishedAt !== null) throw endedRun(run);
    const facts = {
      actor: context.actor,
      ...(input.item === undefined ? {} : { item: input.item }),
      ...(input.reason === undefined ? {} : { reason: input.reason }),
    };
    let accepted: boolean;
    if (input.item === undefined) {
      accepted = await requestCancel(tx, run.id, input.reason ?? `canceled by ${context.actor}`);
    } else {
      const known = await tx.sql.get('SELECT state FROM plan_items WHERE run_id = ? AND item_id = ?', [
        run.id,
        input.item,
      ]);
      if (known === undefined)
        throw new PalisadeError('not_found', `run ${run.id} has no item ${input.item}`, {
          next: `palisade show ${run.id}`,
        });
      accepted = await requestItemCancel(tx, run.id, input.item);
      if (accepted) await bumpControl(tx, run.id);
    }
    if (accepted) await tx.journal.append(runStream(run.id), 'run.cancel_requested', facts);
    return { run_id: run.id, accepted, state: run.state };
  };
  const receipt = receiptOf(context, 'runs.cancel');
  const call = { receipt, request: input, dryRun: input.dry_run, whilePaused: true };
  const result = await answerOrRehearse(deps.database, call, wish);
  if (result.accepted && input.dry_run !== true) deps.onControl(result.run_id);
  return result;
}

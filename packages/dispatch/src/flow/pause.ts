import {
  type BoundOperation,
  bindOperation,
  type CallContext,
  PalisadeError,
  pauseQueue,
  pauseRun,
  resumeQueue,
  resumeRun,
  type RunState,
} from '@palisade/contracts';
import { answerOrRehearse, type Database, receiptOf, type WriteTx } from '@palisade/kernel';
import { pauseRoot, resolveRun, resumeRoot, runStream, wakeQueue } from '@palisade/runs';
import { readQueue } from './queue-limits.ts';
import { markQueuePaused, markQueueResumed } from './queue-pause-store.ts';
import { endedRun } from '../plans/ended-run.ts';

interface PauseDeps {
  readonly database: Database;
  /** A wish was committed for a run. */
  readonly onControl: (runId: string) => void;
}

interface Wish {
  readonly run_id: string;
  readonly accepted: boolean;
  readonly state: RunState;
}

/**
 * Pausing and resuming of runs (DI-181): a wish like that of canceling, recorded with its event from any process
 * at any moment. Repeating one changes nothing.
 */
export function runPauseOperations(deps: PauseDeps): BoundOperation[] {
  return [
    bindOperation(pauseRun, (input, context) =>
      wish(
        deps,
        pauseRun.id,
        input,
        context,
        async (tx, id) => {
          const reason = input.reason ?? null;
          if (!(await pauseRoot(tx, id, context.actor, reason))) return false;
          await tx.journal.append(runStream(id), 'run.paused', {
            actor: context.actor,
            ...(reason === null ? {} : { reason }),
          });
          return true;
        },
        true,
      ),
    ),
    bindOperation(resumeRun, (input, context) =>
      wish(deps, resumeRun.id, input, context, async (tx, id) => {
        if (!(await resumeRoot(tx, id))) return false;
        await tx.journal.append(runStream(id), 'run.resumed', { actor: context.actor });
        return true;
      }),
    ),
  ];
}

async function wish(
  { database, onControl }: PauseDeps,
  operation: string,
  input: { readonly run: string; readonly dry_run?: boolean | undefined },
  context: CallContext,
  record: (tx: WriteTx, id: string) => Promise<boolean>,
  whilePaused = false,
): Promise<Wish> {
  const ask = async (tx: WriteTx): Promise<Wish> => {
    const run = await resolveRun(tx, context.project, input.run);
    if (run.finishedAt !== null) throw endedRun(run);
    return { run_id: run.id, accepted: await record(tx, run.id), state: run.state };
  };
  const receipt = receiptOf(context, operation);
  const call = { receipt, request: input, dryRun: input.dry_run, whilePaused };
  const answer = await answerOrRehearse(database, call, ask);
  if (answer.accepted && input.dry_run !== true) onControl(answer.run_id);
  return answer;
}

/** The same of whole queues: every run of the queue is held, the ones that come later as well. */
export function queuePauseOperations(database: Database): BoundOperation[] {
  const change = async (
    operation: string,
    input: { readonly name: string; readonly dry_run?: boolean | undefined },
    context: CallContext,
    record: (tx: WriteTx) => Promise<boolean>,
    whilePaused = false,
  ): Promise<{ readonly name: string; readonly accepted: boolean }> => {
    const ask = async (tx: WriteTx) => {
      const known = await readQueue(tx, context.project, input.name);
      if (known === undefined)
        throw new PalisadeError('not_found', `there is no queue ${input.name}`, {
          next: 'palisade queue list',
        });
      return { name: input.name, accepted: await record(tx) };
    };
    const receipt = receiptOf(context, operation);
    const call = { receipt, request: input, dryRun: input.dry_run, whilePaused };
    return answerOrRehearse(database, call, ask);
  };
  return [
    bindOperation(pauseQueue, (input, context) =>
      change(
        pauseQueue.id,
        input,
        context,
        (tx) =>
          markQueuePaused(
            tx,
            { project: context.project, queue: input.name },
            context.actor,
            input.reason ?? null,
          ),
        true,
      ),
    ),
    bindOperation(resumeQueue, (input, context) =>
      change(resumeQueue.id, input, context, async (tx) => {
        const { project } = context;
        if (!(await markQueueResumed(tx, { project, queue: input.name }))) return false;
        await wakeQueue(tx, project, input.name);
        return true;
      }),
    ),
  ];
}

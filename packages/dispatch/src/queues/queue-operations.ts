import {
  bindOperation,
  type BoundOperation,
  type CallContext,
  getQueue,
  listQueues,
  PalisadeError,
  setQueue,
} from '@palisade/contracts';
import { answerOrRehearse, type Database, receiptOf, type WriteTx } from '@palisade/kernel';
import type * as z from 'zod';
import { queuePauseOperations } from '../flow/pause.ts';
import { putLimits, readQueue, readQueues } from '../flow/queue-limits.ts';
import { queueWithRuns } from './queue-view.ts';

/** The operations on queues. An engine sees a changed limit at its next look, within a second. */
export function queueOperations(database: Database): BoundOperation[] {
  return [
    ...queuePauseOperations(database),
    bindOperation(listQueues, (_, { project }) =>
      database.read(async (tx) => {
        const data = [];
        for (const queue of await readQueues(tx, project)) data.push((await queueWithRuns(tx, queue)).queue);
        return { data };
      }),
    ),
    bindOperation(getQueue, ({ name }, { project }) =>
      database.read(async (tx) => {
        const queue = await readQueue(tx, project, name);
        if (queue === undefined)
          throw new PalisadeError('not_found', `there is no queue ${name}`, { next: 'palisade queue list' });
        return queueWithRuns(tx, queue);
      }),
    ),
    bindOperation(setQueue, ({ dry_run: dryRun, ...request }, context) =>
      setQueueAs(database, request, { context, dryRun }),
    ),
  ];
}

/** Creates a queue or changes its limits; what the request does not name stays as it is. */
export function setQueueAs(
  database: Database,
  request: Omit<z.output<(typeof setQueue)['input']>, 'dry_run'>,
  { context, dryRun }: { readonly context: CallContext; readonly dryRun?: boolean | undefined },
): Promise<z.output<(typeof setQueue)['output']>> {
  const { name } = request;
  const { project } = context;
  const set = async (tx: WriteTx) => {
    const before = await readQueue(tx, project, name);
    const concurrency = request.concurrency ?? before?.concurrency;
    if (concurrency === undefined)
      throw new PalisadeError('not_found', `there is no queue ${name}`, {
        why: 'a new queue needs to know how many of its items may run at once',
        next: `palisade queue set ${name} --concurrency N`,
      });
    const { rate, max_open_runs: open, max_priority: priority } = request;
    const limits = {
      project,
      name,
      concurrency,
      rate:
        rate === undefined
          ? (before?.rate ?? null)
          : rate && { starts: rate.starts, windowMs: rate.window_seconds * 1000 },
      maxOpenRuns: open === undefined ? (before?.maxOpenRuns ?? null) : open,
      maxPriority: priority ?? before?.maxPriority ?? null,
    };
    await putLimits(tx, limits);
    return {
      name,
      concurrency,
      ...(before === undefined ? {} : { previous: before.concurrency }),
      ...(limits.rate === null
        ? {}
        : { rate: { starts: limits.rate.starts, window_seconds: limits.rate.windowMs / 1000 } }),
      ...(limits.maxOpenRuns === null ? {} : { max_open_runs: limits.maxOpenRuns }),
      ...(limits.maxPriority === null ? {} : { max_priority: limits.maxPriority }),
    };
  };
  return answerOrRehearse(database, { receipt: receiptOf(context, setQueue.id), request, dryRun }, set);
}

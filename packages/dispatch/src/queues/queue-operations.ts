import {
  bindOperation,
  type BoundOperation,
  type CallContext,
  getQueue,
  listQueues,
  PalisadeError,
  type QueueView,
  setQueue,
} from '@palisade/contracts';
import { answerOnce, type Database, type ReadTx, receiptOf, rehearse, type WriteTx } from '@palisade/kernel';
import type * as z from 'zod';
import { putQueue, queueLimits, queueUsage } from '../engine/queue-store.ts';

/** The operations on queues. An engine sees a changed limit at its next look, within a second. */
export function queueOperations(database: Database): BoundOperation[] {
  return [
    bindOperation(listQueues, () =>
      database.read(async (tx) => {
        const data: QueueView[] = [];
        for (const [name, concurrency] of await queueLimits(tx))
          data.push((await view(tx, name, concurrency)).queue);
        return { data };
      }),
    ),
    bindOperation(getQueue, ({ name }) =>
      database.read(async (tx) => {
        const concurrency = (await queueLimits(tx)).get(name);
        if (concurrency === undefined)
          throw new PalisadeError('not_found', `there is no queue ${name}`, { next: 'palisade queue list' });
        return view(tx, name, concurrency);
      }),
    ),
    bindOperation(setQueue, ({ dry_run: dryRun, ...request }, context) =>
      setQueueAs(database, request, { context, dryRun }),
    ),
  ];
}

/** Creates a queue or changes its limit. */
export function setQueueAs(
  database: Database,
  request: { readonly name: string; readonly concurrency: number },
  { context, dryRun }: { readonly context: CallContext; readonly dryRun?: boolean | undefined },
): Promise<z.output<(typeof setQueue)['output']>> {
  const { name, concurrency } = request;
  const set = async (tx: WriteTx) => {
    const previous = (await queueLimits(tx)).get(name);
    await putQueue(tx, name, concurrency);
    return { name, concurrency, ...(previous === undefined ? {} : { previous }) };
  };
  if (dryRun === true) return rehearse(database, set);
  return database.write((tx) => answerOnce(tx, receiptOf(context, setQueue.id), request, () => set(tx)));
}

async function view(tx: ReadTx, name: string, concurrency: number) {
  const runs = await queueUsage(tx, name);
  return { queue: { name, concurrency, used: runs.reduce((sum, { used }) => sum + used, 0) }, runs };
}

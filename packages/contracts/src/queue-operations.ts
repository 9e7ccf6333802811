import * as z from 'zod';
import { limits } from './limits.ts';
import { operation } from './operation.ts';
import { Name } from './schema.ts';

/** A queue: how many items of all its runs together may run at once, and how many do. */
export const QueueView = z.strictObject({
  name: Name,
  concurrency: z.int().nonnegative(),
  used: z.int().nonnegative(),
});
export type QueueView = z.infer<typeof QueueView>;

export const listQueues = operation({
  id: 'queues.list',
  summary: 'Queues with their limits and what they use',
  effect: 'read',
  input: z.strictObject({}),
  output: z.strictObject({ data: z.array(QueueView) }),
  errors: [],
});

export const getQueue = operation({
  id: 'queues.get',
  summary: 'One queue and the runs that use its slots',
  effect: 'read',
  input: z.strictObject({ name: Name }),
  output: z.strictObject({
    queue: QueueView,
    runs: z.array(z.strictObject({ run_id: z.string(), used: z.int().positive() })),
  }),
  errors: ['not_found'],
});

/** A queue's limit as a user sets it. */
export const QueueInput = z.strictObject({
  name: Name,
  /** 0 lets nothing of the queue start. */
  concurrency: z.int().min(0).max(limits.queueConcurrency),
});

export const setQueue = operation({
  id: 'queues.set',
  summary: 'Create a queue, or change how many of its items run at once; what runs already goes on',
  effect: 'mutation',
  input: QueueInput.extend({ dry_run: z.boolean().optional() }),
  output: z.strictObject({
    name: Name,
    concurrency: z.int().nonnegative(),
    /** The limit before, absent for a new queue. */
    previous: z.int().nonnegative().optional(),
  }),
  errors: [],
});

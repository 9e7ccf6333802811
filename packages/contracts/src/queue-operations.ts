import * as z from 'zod';
import { limits } from './limits.ts';
import { operation } from './operation.ts';
import { Priority } from './plan.ts';
import { Paused } from './run-views.ts';
import { Millis, Name } from './schema.ts';

/** At most `starts` attempts start in a window of so many seconds; unused ones of one window do not add to the next. */
export const QueueRate = z.strictObject({
  starts: z.int().min(1).max(999_999),
  window_seconds: z.int().min(1).max(86_400),
});
export type QueueRate = z.infer<typeof QueueRate>;

/** A queue: how many items of all its runs together may run at once, and how many do. */
export const QueueView = z.strictObject({
  name: Name,
  concurrency: z.int().nonnegative(),
  used: z.int().nonnegative(),
  /** Further items that could start if there were slots; absent when there are none. */
  wants: z.int().positive().optional(),
  paused: Paused.optional(),
  /** At most so many starts in a window, and how many are left of them now. */
  rate: QueueRate.extend({
    left: z.int().nonnegative(),
    /** When the next start is possible, if none is now. */
    next_at: Millis.optional(),
  }).optional(),
  /** Runs of the queue that have not ended, where their number is limited. */
  open_runs: z.strictObject({ count: z.int().nonnegative(), limit: z.int().positive() }).optional(),
  /** Highest priority a run may ask for, when it is not the highest there is. */
  max_priority: Priority.optional(),
});
export type QueueView = z.infer<typeof QueueView>;

export const listQueues = operation({
  id: 'queues.list',
  method: 'GET',
  path: '/v1/projects/{project}/queues',
  summary: 'Queues with their limits and what they use',
  effect: 'read',
  access: 'read',
  input: z.strictObject({}),
  output: z.strictObject({ data: z.array(QueueView) }),
  errors: [],
});

export const getQueue = operation({
  id: 'queues.get',
  method: 'GET',
  path: '/v1/projects/{project}/queues/{name}',
  summary: 'One queue and the runs that use its slots',
  effect: 'read',
  access: 'read',
  input: z.strictObject({ name: Name }),
  output: z.strictObject({
    queue: QueueView,
    runs: z.array(
      z.strictObject({
        run_id: z.string(),
        used: z.int().nonnegative(),
        /** Further slots it could use at once, since when it got none, and its priority; only of one that wants any. */
        wants: z.int().positive().optional(),
        since: Millis.optional(),
        priority: Priority.optional(),
      }),
    ),
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
  method: 'PUT',
  path: '/v1/projects/{project}/queues/{name}',
  summary: 'Create a queue, or change how many of its items run at once; what runs already goes on',
  effect: 'mutation',
  access: 'provision',
  input: z.strictObject({
    name: Name,
    /** 0 lets nothing of the queue start. */
    concurrency: z.int().min(0).max(limits.queueConcurrency).optional(),
    /** What is not named stays as it is; null takes the limit away. */
    rate: QueueRate.nullable().optional(),
    max_open_runs: z.int().min(1).max(1_000_000).nullable().optional(),
    max_priority: Priority.optional(),
    dry_run: z.boolean().optional(),
  }),
  output: z.strictObject({
    name: Name,
    concurrency: z.int().nonnegative(),
    /** The limit before, absent for a new queue. */
    previous: z.int().nonnegative().optional(),
    rate: QueueRate.optional(),
    max_open_runs: z.int().positive().optional(),
    max_priority: Priority.optional(),
  }),
  errors: ['not_found'],
});

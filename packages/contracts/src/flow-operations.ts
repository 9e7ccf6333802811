import * as z from 'zod';
import { BudgetFacts, ItemBudget } from './budget.ts';
import { operation } from './operation.ts';
import { RunRef } from './run-operations.ts';
import { RunStateValue, SpentView } from './run-views.ts';
import { Millis, Name } from './schema.ts';

/* What people decide about runs under way and their queues: pause and resume. */

const reason = z.string().max(500).optional();

export const pauseRun = operation({
  id: 'runs.pause',
  summary: 'Let nothing more of a run start; what runs finishes',
  effect: 'mutation',
  input: z.strictObject({ run: RunRef, reason, dry_run: z.boolean().optional() }),
  output: z.strictObject({
    run_id: z.string(),
    /** False when it was paused already. */
    accepted: z.boolean(),
    state: RunStateValue,
  }),
  errors: ['not_found', 'ambiguous_id', 'invalid_state'],
});

export const resumeRun = operation({
  id: 'runs.resume',
  summary: 'Let a paused run go on',
  effect: 'mutation',
  input: z.strictObject({ run: RunRef, dry_run: z.boolean().optional() }),
  output: z.strictObject({
    run_id: z.string(),
    /** False when it was not paused. */
    accepted: z.boolean(),
    state: RunStateValue,
  }),
  errors: ['not_found', 'ambiguous_id', 'invalid_state'],
});

export const pauseQueue = operation({
  id: 'queues.pause',
  summary: 'Let nothing more of a queue start; what runs finishes',
  effect: 'mutation',
  input: z.strictObject({ name: Name, reason, dry_run: z.boolean().optional() }),
  output: z.strictObject({ name: Name, accepted: z.boolean() }),
  errors: ['not_found'],
});

export const resumeQueue = operation({
  id: 'queues.resume',
  summary: 'Let a paused queue go on',
  effect: 'mutation',
  input: z.strictObject({ name: Name, dry_run: z.boolean().optional() }),
  output: z.strictObject({ name: Name, accepted: z.boolean() }),
  errors: ['not_found'],
});

export const setBudget = operation({
  id: 'runs.budget',
  summary: 'Change the limits of a run under way; a limit that is not named stays as it is',
  effect: 'mutation',
  input: z.strictObject({ run: RunRef, ...ItemBudget.shape, dry_run: z.boolean().optional() }),
  output: z.strictObject({ run_id: z.string(), budget: BudgetFacts, state: RunStateValue }),
  errors: ['not_found', 'ambiguous_id', 'invalid_state'],
});

/** What attempts are counted by. */
export const USAGE_KEYS = ['agent', 'model', 'queue', 'actor'] as const;

export const getUsage = operation({
  id: 'usage.get',
  summary: 'What the attempts that ended used, by agent, model, queue or actor',
  effect: 'read',
  input: z.strictObject({
    by: z.enum(USAGE_KEYS).optional(),
    /** Only attempts that ended at or after this moment. */
    since: Millis.optional(),
  }),
  output: z.strictObject({
    by: z.enum(USAGE_KEYS),
    since: Millis.optional(),
    data: z.array(
      SpentView.extend({
        /** Absent where nobody knows it. */
        key: z.string().optional(),
      }),
    ),
    total: SpentView,
  }),
  errors: [],
});

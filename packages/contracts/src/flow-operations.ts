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
  method: 'POST',
  path: '/v1/projects/{project}/runs/{run}/pause',
  summary: 'Let nothing more of a run start; what runs finishes',
  effect: 'mutation',
  access: 'write',
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
  method: 'POST',
  path: '/v1/projects/{project}/runs/{run}/resume',
  summary: 'Let a paused run go on',
  effect: 'mutation',
  access: 'write',
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
  method: 'POST',
  path: '/v1/projects/{project}/queues/{name}/pause',
  summary: 'Let nothing more of a queue start; what runs finishes',
  effect: 'mutation',
  access: 'provision',
  input: z.strictObject({ name: Name, reason, dry_run: z.boolean().optional() }),
  output: z.strictObject({ name: Name, accepted: z.boolean() }),
  errors: ['not_found'],
});

export const resumeQueue = operation({
  id: 'queues.resume',
  method: 'POST',
  path: '/v1/projects/{project}/queues/{name}/resume',
  summary: 'Let a paused queue go on',
  effect: 'mutation',
  access: 'provision',
  input: z.strictObject({ name: Name, dry_run: z.boolean().optional() }),
  output: z.strictObject({ name: Name, accepted: z.boolean() }),
  errors: ['not_found'],
});

export const setBudget = operation({
  id: 'runs.budget',
  method: 'PUT',
  path: '/v1/projects/{project}/runs/{run}/budget',
  summary: 'Change the limits of a run under way; a limit that is not named stays as it is',
  effect: 'mutation',
  access: 'approve',
  input: z.strictObject({ run: RunRef, ...ItemBudget.shape, dry_run: z.boolean().optional() }),
  output: z.strictObject({ run_id: z.string(), budget: BudgetFacts, state: RunStateValue }),
  errors: ['not_found', 'ambiguous_id', 'invalid_state'],
});

/** What attempts are counted by. */
export const USAGE_KEYS = ['agent', 'model', 'queue', 'actor'] as const;

export const getUsage = operation({
  id: 'usage.get',
  method: 'GET',
  path: '/v1/projects/{project}/usage',
  summary: 'What the attempts that ended used, by agent, model, queue or actor',
  effect: 'read',
  access: 'read',
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

import * as z from 'zod';
import { HASH_PREFIX } from './approval.ts';
import { limits } from './limits.ts';
import { operation } from './operation.ts';
import { RequestView } from './request-view.ts';
import { Name } from './schema.ts';

const RunRef = z.string().min(1).max(200);
const HashDigits = z.string().regex(HASH_PREFIX, 'must be 12 or more digits of the hash');

export const listRequests = operation({
  id: 'requests.list',
  method: 'GET',
  path: '/v1/projects/{project}/requests',
  summary: 'What people are asked: open questions and approvals of every run, oldest first',
  effect: 'read',
  access: 'read',
  input: z.strictObject({
    run: RunRef.optional(),
    /** Those too that are answered, decided or withdrawn. */
    all: z.boolean().optional(),
    limit: z.int().min(1).max(1000).optional(),
  }),
  output: z.strictObject({ data: z.array(RequestView), has_more: z.boolean() }),
  errors: ['not_found', 'ambiguous_id'],
});

export const answerRequest = operation({
  id: 'requests.answer',
  method: 'POST',
  path: '/v1/projects/{project}/runs/{run}/items/{item}/answer',
  summary: "Answer an agent's question; its item goes on with the answer",
  effect: 'mutation',
  access: 'approve',
  input: z
    .strictObject({
      run: RunRef,
      item: Name,
      answer: z.string().max(limits.answerChars).optional(),
      /** Which of the options, counted from 1. */
      option: z.int().positive().optional(),
      /** What was shown: another question now is `stale_revision`, and so is none given once the item has asked before. */
      hash: HashDigits.optional(),
      dry_run: z.boolean().optional(),
    })
    .refine(({ answer, option }) => (answer === undefined) !== (option === undefined), {
      message: 'give an answer or an option',
    }),
  output: z.strictObject({ request: RequestView }),
  errors: ['not_found', 'ambiguous_id', 'invalid_state', 'stale_revision', 'credential_in_text'],
});

export const decideRequest = operation({
  id: 'requests.decide',
  method: 'POST',
  path: '/v1/projects/{project}/runs/{run}/items/{item}/decision',
  summary: 'Approve or deny what a plan asks a person to decide',
  effect: 'privileged',
  access: 'approve',
  input: z.strictObject({
    run: RunRef,
    item: Name,
    decision: z.enum(['approve', 'deny']),
    /** What was shown: another request now is `stale_revision`. */
    hash: HashDigits.optional(),
    reason: z.string().max(limits.decisionReasonChars).optional(),
    dry_run: z.boolean().optional(),
  }),
  output: z.strictObject({ request: RequestView }),
  errors: [
    'not_found',
    'ambiguous_id',
    'invalid_state',
    'stale_revision',
    'policy_denied',
    'credential_in_text',
  ],
});

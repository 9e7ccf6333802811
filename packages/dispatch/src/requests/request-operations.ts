import {
  answerRequest,
  type BoundOperation,
  bindOperation,
  decideRequest,
  listRequests,
} from '@palisade/contracts';
import type { PlanDeps } from '../plans/plan-deps.ts';
import { answerQuestion } from './answer-question.ts';
import { decideApproval } from './decide-approval.ts';
import { list } from './list-requests.ts';

/** The operations on what people are asked. */
export function requestOperations(deps: PlanDeps): BoundOperation[] {
  return [
    bindOperation(listRequests, (input, context) => list(deps, input, context)),
    bindOperation(answerRequest, (input, context) => answerQuestion(deps, input, context)),
    bindOperation(decideRequest, (input, context) => decideApproval(deps, input, context)),
  ];
}

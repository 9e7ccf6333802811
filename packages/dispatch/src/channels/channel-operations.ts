import { type BoundOperation, bindOperation, listMessages, sendMessage } from '@palisade/contracts';
import type { PlanDeps } from '../plans/plan-deps.ts';
import { list } from './list-messages.ts';
import { send } from './send-message.ts';

/** The operations on messages to agents that run (DI-121). */
export function channelOperations(deps: PlanDeps): BoundOperation[] {
  return [
    bindOperation(sendMessage, (input, context) => send(deps, input, context)),
    bindOperation(listMessages, (input, context) => list(deps, input, context)),
  ];
}

import {
  PalisadeError,
  removeAgent,
  removeCapability,
  removeModelEndpoint,
  removePipeline,
} from '@palisade/contracts';
import type { Invocation } from '../invocation.ts';
import { emit } from '../output/format.ts';
import { outcome } from '../output/outcome.ts';
import type {
  agentRemoveCommand,
  capabilityRemoveCommand,
  modelEndpointRemoveCommand,
  pipelineRemoveCommand,
} from '../tree/deploy-commands.ts';
import type { Handler } from './handler.ts';

/** `pal agent remove NAME`. */
export const removeAgentName: Handler<typeof agentRemoveCommand> = (invocation, { name }) =>
  remove(invocation, removeAgent, 'agent', name);

/** `pal capability remove NAME`. */
export const removeCapabilityName: Handler<typeof capabilityRemoveCommand> = (invocation, { name }) =>
  remove(invocation, removeCapability, 'capability', name);

/** `pal model-endpoint remove NAME`. */
export const removeModelEndpointName: Handler<typeof modelEndpointRemoveCommand> = (invocation, { name }) =>
  remove(invocation, removeModelEndpoint, 'model-endpoint', name);

/** `pal pipeline remove NAME`. */
export const removePipelineName: Handler<typeof pipelineRemoveCommand> = (invocation, { name }) =>
  remove(invocation, removePipeline, 'pipeline', name);

async function remove(
  invocation: Invocation,
  operation: typeof removeAgent,
  noun: string,
  name: string,
): Promise<number> {
  const answer = await invocation.call(operation, { name, ...invocation.rehearsed });
  if (!answer.removed)
    throw new PalisadeError('not_found', `no ${noun} is named ${name}`, { next: `pal ${noun} list` });
  emit(invocation, {
    json: answer,
    records: [answer],
    ids: [answer.name],
    text: () => [
      `${outcome(invocation, 'remove')}${answer.name}  ${invocation.isDryRun ? '' : 'removed; '}its revisions stay under their addresses`,
    ],
  });
  return 0;
}

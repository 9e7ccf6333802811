import {
  bindOperation,
  type BoundOperation,
  type CallContext,
  type ContentHash,
  contentHash,
  deploy,
  type DeployChange,
  type DeployEntry,
  toPalisadeError,
} from '@palisade/contracts';
import { answerBefore, answerOnce, giveName, receiptOf } from '@palisade/kernel';
import type * as z from 'zod';
import { setQueueAs } from '../queues/queue-operations.ts';
import { registerAgentAs } from '../registry/agents/agent-operations.ts';
import { registerCapabilityAs } from '../registry/capabilities/capability-operations.ts';
import { bundleOf } from '../registry/capabilities/capability.ts';
import { type Registration, removeMeaning } from '../registry/catalogue.ts';
import { fingerprinted, registerEnvironmentAs } from '../registry/environments/environment-operations.ts';
import { registerPipelineAs } from '../registry/pipelines/pipeline-operations.ts';
import { type ProjectRooms, type RegistryRooms, roomsOf } from '../registry/project-rooms.ts';
import { registerModelEndpointAs } from '../registry/model-endpoints/model-endpoint-operations.ts';
import { type Deployment, planDeployment, type PlannedChange } from './deploy-plan.ts';

type Answer = z.output<(typeof deploy)['output']>;

/**
 * The operation of deployments (DI-050). Each entry is a unit of work of its own, as if it had been
 * registered alone: after a failure, or the death of the process, what was set stays, and the same
 * deployment again sets the rest.
 */
export function deployOperations(all: RegistryRooms): BoundOperation[] {
  return [
    bindOperation(deploy, async (input, context) => {
      const rooms = roomsOf(all, context.project);
      if (input.dry_run === true)
        return answered(
          input,
          (await planDeployment(rooms, input, context)).map(({ change }) => change),
        );
      const receipt = receiptOf(context, deploy.id);
      const request = receipt === undefined ? null : requestOf(rooms, input);
      const before = await rooms.database.write((tx) => answerBefore<Answer>(tx, receipt, request));
      if (before !== null) return before;
      const answer = answered(input, await apply(rooms, input, context));
      // A deployment that stopped is gone on with by the same call.
      if (!answer.complete) return answer;
      return rooms.database.write((tx) => answerOnce(tx, receipt, request, async () => answer));
    }),
  ];
}

function answered({ name, dry_run }: Deployment, data: DeployChange[]): Answer {
  return {
    ...(name === undefined ? {} : { name }),
    dry_run: dry_run === true,
    complete: data.every(({ outcome }) => outcome === 'planned' || outcome === 'done'),
    data,
  };
}

async function apply(rooms: ProjectRooms, input: Deployment, context: CallContext): Promise<DeployChange[]> {
  const done: DeployChange[] = [];
  let hasFailed = false;
  for (const planned of await planDeployment(rooms, input, context)) {
    const { change } = planned;
    if (hasFailed) {
      done.push({ ...change, outcome: 'not_reached' });
      continue;
    }
    try {
      await carryOut(rooms, input, planned, context);
      done.push({ ...change, outcome: 'done' });
    } catch (error) {
      hasFailed = true;
      const { code, message, next } = toPalisadeError(error);
      done.push({
        ...change,
        outcome: 'failed',
        error: { code, message, ...(next === undefined ? {} : { next }) },
      });
    }
  }
  return done;
}

async function carryOut(
  rooms: ProjectRooms,
  { name: owner, adopt = false }: Deployment,
  { change: { kind, name, action }, entry }: PlannedChange,
  context: CallContext,
): Promise<void> {
  const registration: Registration = {
    context: contextOf(context, `${kind}|${name}`),
    owner: owner === undefined ? undefined : { name: owner, takesOver: adopt },
  };
  switch (action) {
    case 'keep':
      return;
    case 'unchanged':
      if (owner !== undefined && adopt && kind !== 'queue')
        await rooms.database.write((tx) => giveName(tx, { project: rooms.project, kind }, name, owner));
      return;
    case 'remove':
      if (kind !== 'queue')
        await removeMeaning(rooms.database, kind, name, registration, `${deploy.id}|remove`);
      return;
    default:
      if (entry !== undefined) await register(rooms, entry, registration);
  }
}

async function register(rooms: ProjectRooms, entry: DeployEntry, registration: Registration): Promise<void> {
  switch (entry.kind) {
    case 'capability':
      await registerCapabilityAs(rooms, entry.input, registration);
      return;
    case 'pipeline':
      await registerPipelineAs(rooms, entry.input, registration);
      return;
    case 'model-endpoint':
      await registerModelEndpointAs(rooms, entry.input, registration);
      return;
    case 'env':
      await registerEnvironmentAs(rooms, entry.input, registration);
      return;
    case 'agent':
      await registerAgentAs(rooms, entry.input, registration);
      return;
    case 'queue':
      await setQueueAs(rooms.database, entry.input, registration);
  }
}

/** Every entry has receipts of its own under the caller's key. */
function contextOf(context: CallContext, entry: string): CallContext {
  const { idempotencyKey } = context;
  return idempotencyKey === undefined
    ? context
    : { ...context, idempotencyKey: `${idempotencyKey}|${entry}` };
}

/** What makes two calls the same: content by its address, and no secret. */
function requestOf({ secrets }: ProjectRooms, { name, prune, adopt, entries: all }: Deployment): unknown {
  const entries = all.map((entry): unknown => {
    switch (entry.kind) {
      case 'capability': {
        const hash: ContentHash = contentHash(
          bundleOf(entry.input.name, entry.input.files, entry.input.allow_credential_patterns),
        );
        return { kind: entry.kind, name: entry.input.name, hash };
      }
      case 'env':
        return { kind: entry.kind, input: fingerprinted(entry.input, secrets) };
      default:
        return entry;
    }
  });
  const more = Object.entries({ name, prune, adopt }).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(more), entries };
}

import {
  cancelRun,
  extendRun,
  type Operation,
  pauseQueue,
  pauseRun,
  putSecret,
  rebindAgent,
  registerAgent,
  registerCapability,
  registerEnvironment,
  registerModelEndpoint,
  registerPipeline,
  removeAgent,
  removeCapability,
  removeEnvironment,
  removeModelEndpoint,
  removePipeline,
  resumeQueue,
  resumeRun,
  setBudget,
  setQueue,
  submitPlan,
} from '@palisade/contracts';
import type * as z from 'zod';

type Repeatable = readonly [operation: Operation, input: never];

const call = <Op extends Operation>(operation: Op, input: z.input<Op['input']>): Repeatable => [
  operation,
  input as never,
];

const ITEM = { id: 'a', command: 'true' };

/** Calls that change something, each possible after those before it: every change of runs, queues and the registry but a rerun, which needs a run that ended. */
export const repeatableCalls: readonly Repeatable[] = [
  call(registerCapability, { name: 'cap', files: [{ path: 'SKILL.md', base64: 'aGk=' }] }),
  call(registerAgent, { name: 'agent', run: { harness: 'command', command: 'true' }, capabilities: ['cap'] }),
  call(registerCapability, { name: 'cap', files: [{ path: 'SKILL.md', base64: 'aG8=' }] }),
  call(rebindAgent, { name: 'agent' }),
  call(registerEnvironment, { name: 'env', values: { A: 'b' } }),
  call(registerPipeline, { name: 'pipe', blocks: [{ kind: 'agent' }] }),
  call(putSecret, { name: 'key', value: 'hush' }),
  call(registerModelEndpoint, {
    name: 'model',
    kind: 'anthropic',
    url: 'https://models.example.com',
    secret: 'secret:key',
  }),
  call(setQueue, { name: 'queue', concurrency: 2 }),
  call(setQueue, { name: 'queue', concurrency: 3 }),
  call(pauseQueue, { name: 'queue', reason: 'lunch' }),
  call(resumeQueue, { name: 'queue' }),
  call(submitPlan, { plan: { open_ended: true, items: [ITEM] }, run_id: 'named', sandbox: 'process' }),
  call(submitPlan, { plan: { items: [ITEM] }, sandbox: 'process' }),
  call(extendRun, { run: 'named', items: [{ id: 'b', command: 'true' }] }),
  call(pauseRun, { run: 'named', reason: 'lunch' }),
  call(setBudget, { run: 'named', attempts: 5 }),
  call(resumeRun, { run: 'named' }),
  call(cancelRun, { run: 'named' }),
  call(removeAgent, { name: 'agent' }),
  call(removeCapability, { name: 'cap' }),
  call(removeEnvironment, { name: 'env' }),
  call(removePipeline, { name: 'pipe' }),
  call(removeModelEndpoint, { name: 'model' }),
];

import {
  addSchedule,
  callerOf,
  createPrincipal,
  getTrustRoot,
  putSecret,
  registerPipeline,
  setQueue,
  setWebhook,
  submitPlan,
} from '@palisade/contracts';
import type { Composition } from '../src/compose.ts';
import { agentWithJob } from './agent-job.ts';
import type { KnownValues } from './schema-arbitrary.ts';

const PLAN = {
  items: [
    { id: 'a', command: 'true' },
    { id: 'gate', executor: 'approval', approval: { prompt: 'go on?' } },
  ],
};

/** Puts one thing of every kind into a control plane, as its own host; gives what names them, by the fields that name such things, and an agent that has a job. */
export async function seeded(
  composition: Composition,
): Promise<{ readonly known: KnownValues; readonly agent: Awaited<ReturnType<typeof agentWithJob>> }> {
  const { operations } = composition;
  const own = callerOf(operations);
  await own.call(putSecret, { name: 'secret', value: 'hush' });
  await own.call(setQueue, { name: 'queue', concurrency: 2 });
  await own.call(setWebhook, {
    name: 'hook',
    url: 'https://example.com/hook',
    secret: `whsec_${'a'.repeat(40)}`,
  });
  await own.call(registerPipeline, { name: 'pipe', blocks: [{ kind: 'agent' }] });
  await own.call(submitPlan, { plan: PLAN, run_id: 'run', sandbox: 'process' });
  await own.call(addSchedule, {
    name: 'schedule',
    cron: '0 0 1 1 *',
    submission: { plan: PLAN, sandbox: 'process' },
  });
  const { principal, credential } = await own.call(createPrincipal, { name: 'bot', kind: 'agent' });
  const log = await own.call(getTrustRoot, {});
  const [keyid] = /[0-9a-f]{64}/.exec(JSON.stringify(log)) ?? [];
  const agent = await agentWithJob(composition, 'default', 'worker');
  const { job, producer, reporter } = agent.job;
  const known = {
    name: ['secret', 'queue', 'hook', 'pipe', 'schedule', 'default'],
    run: ['run'],
    run_id: ['run', 'another'],
    item: ['a', 'gate'],
    plan: [PLAN, { items: [] }],
    sandbox: ['process'],
    cron: ['0 0 1 1 *'],
    zone: ['Europe/Zurich'],
    principal: [principal.id],
    credential: [credential.id],
    ...(keyid === undefined ? {} : { keyid: [keyid] }),
    job: [job],
    job_id: [job],
    producer_id: [producer],
    reporter: [reporter],
    workstation_id: ['laptop'],
    dry_run: [true, false],
  };
  return { known, agent };
}

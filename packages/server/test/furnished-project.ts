import {
  addSchedule,
  callerOf,
  contentHash,
  newId,
  putSecret,
  registerAgent,
  registerCapability,
  registerEnvironment,
  registerModelEndpoint,
  registerPipeline,
  type Operation,
  placeholdersOf,
  setQueue,
  setWebhook,
  submitPlan,
} from '@palisade/contracts';
import { insertChildRun, keepProduct } from '@palisade/runs';
import type { Composition } from '../src/compose.ts';
import { agentWithJob } from './agent-job.ts';

const ITEM = { id: 'work', command: 'true', channel: true };
const PLAN = {
  open_ended: true,
  items: [ITEM, { id: 'gate', executor: 'approval', approval: { prompt: 'go on?' } }],
};

/** What names the things of one project: where an operation's path or input wants a name of its kind. */
export interface Furniture {
  readonly name: string;
  readonly run: string;
  readonly item: string;
  readonly ref: string;
  readonly message: string;
  readonly job: string;
}

/** Puts one thing of every kind that a project can have into it, all of one name, and a run with a product. */
export async function furnish(
  composition: Composition,
  blobs: { put(bytes: Uint8Array): Promise<unknown> },
  project: string,
  name: string,
): Promise<Furniture> {
  const { operations, database } = composition;
  const caller = callerOf(operations);
  const own = <Op extends Operation>(operation: Op, input: Parameters<typeof caller.call<Op>>[1]) =>
    caller.call(operation, input, { project });
  await own(putSecret, { name, value: `value of ${project}` });
  await own(registerCapability, { name, files: [{ path: 'SKILL.md', base64: 'aGk=' }] });
  await own(registerAgent, { name, run: { harness: 'command', command: 'true' }, capabilities: [name] });
  await own(registerEnvironment, { name, values: { A: project }, secrets: { S: { ref: `secret:${name}` } } });
  await own(registerPipeline, { name, blocks: [{ kind: 'agent' }] });
  const url = 'https://models.example.com';
  await own(registerModelEndpoint, { name, kind: 'anthropic', url, secret: `secret:${name}` });
  await own(setQueue, { name, concurrency: 2 });
  await own(setWebhook, { name, url: 'https://example.com/hook', secret: `whsec_${'a'.repeat(40)}` });
  const submission = { plan: { items: [ITEM] }, sandbox: 'process' };
  await own(addSchedule, { name, cron: '0 0 1 1 *', submission });
  const { run_id: run } = await own(submitPlan, { plan: PLAN, run_id: name, sandbox: 'process' });
  const bytes = Buffer.from(`what ${project} made`);
  await blobs.put(bytes);
  const ref = contentHash(bytes);
  const message = `msg_${project}`;
  await database.write(async (tx) => {
    await insertChildRun(tx, {
      id: `${project}-attempt`,
      rootRunId: run,
      project,
      kind: 'command',
      itemId: 'work',
      attempt: 1,
      title: 'work',
      queue: 'default',
      actor: 'human:ada',
      deadlineAt: Number.MAX_SAFE_INTEGER,
      manifestRef: contentHash('manifest'),
      agent: 'work',
      model: null,
      reservedMicroUsd: null,
    });
    await keepProduct(tx, `${project}-attempt`, { result_ref: ref });
    await tx.sql.run(
      `INSERT INTO webhook_deliveries (id, project, endpoint, kind, run_id, seq, body, created_at, state, attempts)
       VALUES (?, ?, ?, 'run.completed', ?, 1, '{}', 0, 'undelivered', 1)`,
      [message, project, name, run],
    );
    await tx.sql.run(
      `INSERT INTO item_requests (project, run_id, id, item_id, ordinal, attempt, kind, hash, body, asked_at)
       VALUES (?, ?, ?, 'work', 0, 1, 'question', ?, '{"text":"which?"}', 0)`,
      [project, run, newId('apr'), contentHash('question')],
    );
  });
  const { job } = await agentWithJob(
    composition,
    project,
    `agent of ${project} ${name}`.replaceAll(' ', '-'),
  );
  return { name, run, item: 'work', ref, message, job: job.job };
}

/** Furniture of the same shape that is in no project. */
export function nothing({ name, run, message, job }: Furniture): Furniture {
  const turned = (text: string) => [...text].toReversed().join('');
  return {
    name: turned(name),
    run: run.replace(name, turned(name)),
    item: 'work',
    ref: contentHash('nobody made it'),
    message: turned(message),
    job: `pjob_${turned(job.slice('pjob_'.length))}`,
  };
}

/** The path of an operation with names of one project's things in it. */
export function pathTo(operation: Operation, project: string, things: Furniture): string {
  let { path } = operation as { path: string };
  for (const placeholder of placeholdersOf(operation)) {
    const value = placeholder === 'project' ? project : (things[placeholder as keyof Furniture] ?? 'x');
    path = path.replace(`{${placeholder}}`, encodeURIComponent(value));
  }
  return path;
}

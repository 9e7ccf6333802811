import { newId } from '@palisade/contracts';
import type { WriteTx } from '@palisade/kernel';
import { insertChildRun, putDocument, runStream } from '@palisade/runs';
import { goesOnWith } from '../requests/goes-on-with.ts';
import { manifestText } from './attempt-manifest.ts';
import type { Checked } from './fire-checks.ts';
import { markFired } from './item-store.ts';
import type { Stage } from './stage.ts';
import type { Fired, StepInput } from './step-types.ts';

/** Commits the intent of one attempt: manifest, child run, item state and event, before any effect. */
export async function intend(
  tx: WriteTx,
  input: StepInput,
  stage: Stage,
  i: number,
  { inputs, authorization }: Pick<Extract<Checked, { readonly what: 'go' }>, 'inputs' | 'authorization'>,
): Promise<Fired> {
  const { run, graph } = input;
  const item = graph.item(i);
  const attempt = stage.facts(i).attempt + 1;
  const childRunId = newId('run');
  const definition = graph.agent(item.agent.hash);
  const { earlier, answers } = await goesOnWith(tx, run.id, item.id, definition, attempt);
  const deadlineAt = Math.min(tx.now + item.timeoutMs, run.deadlineAt ?? Number.POSITIVE_INFINITY);
  const manifest = manifestText({
    run,
    definition,
    item,
    authorization,
    attempt,
    childRunId,
    firedAt: tx.now,
    deadlineAt,
    inputs,
    earlier,
    answers,
  });
  const manifestRef = await putDocument(tx, run.id, manifest);
  await insertChildRun(tx, {
    id: childRunId,
    rootRunId: run.id,
    kind: definition?.run.harness === 'command' ? 'command' : 'agent',
    itemId: item.id,
    attempt,
    title: item.title,
    project: run.project,
    queue: run.queue,
    actor: run.actor,
    deadlineAt,
    manifestRef,
    agent: item.agent.name,
    model: item.model,
    reservedMicroUsd: item.maxCostMicroUsd ?? null,
  });
  await markFired(tx, run.id, i, attempt, childRunId);
  stage.set(i, { state: 'running', attempt, childRunId, nextAttemptAt: 0 });
  await tx.journal.append(runStream(run.id), 'item.fired', {
    item: item.id,
    attempt,
    run: childRunId,
    manifest_ref: manifestRef,
    ...(item.locks.length === 0 ? {} : { holds: [...item.locks] }),
    ...(item.maxCostMicroUsd === undefined ? {} : { reserved_micro_usd: item.maxCostMicroUsd }),
    ...(item.budget === undefined ? {} : { budget: item.budget }),
  });
  return { ordinal: i, childRunId, attempt, deadlineAt, inputs, earlier, answers };
}

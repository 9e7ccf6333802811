import { type Authorization, letsThrough, needsApproval } from '@palisade/contracts';
import type { WriteTx } from '@palisade/kernel';
import { runStream } from '@palisade/runs';
import { denialOf } from '../authority/effect-gate.ts';
import { releaseLocks } from '../locks/lock-store.ts';
import { approvalOf } from './approval-of.ts';
import { type AttemptInput, inputsOf } from './attempt-inputs.ts';
import type { Decision, Undecided } from './decisions.ts';
import { type ItemEnd, markEnded } from './item-store.ts';
import type { Stage } from './stage.ts';
import type { StepInput } from './step-types.ts';

/** What came of looking at an item that could start: what it starts with, its end, a person's matter, that somebody has to decide first, or that whoever has to cannot be asked now. */
export type Checked =
  | { readonly what: 'go'; readonly inputs: readonly AttemptInput[]; readonly authorization: Authorization }
  | { readonly what: 'ended' }
  | { readonly what: 'approval' }
  | { readonly what: 'waits' }
  | { readonly what: 'undecided'; readonly undecided: Undecided };

/** The next attempt of an item, in whose name it is asked about, and what was decided of it. */
export function decisionOn({ run, graph, decisionOf }: StepInput, stage: Stage, i: number, now: number) {
  const attempt = stage.facts(i).attempt + 1;
  const actor = graph.addedBy(i) ?? run.actor;
  return { attempt, actor, decision: decisionOf(i, attempt, actor, now) };
}

/** Whether an item may be fired, before it takes a lock (DI-172): what it needs is there, and it is authorised. */
export async function checkFire(tx: WriteTx, input: StepInput, stage: Stage, i: number): Promise<Checked> {
  const { run, graph } = input;
  const item = graph.item(i);
  const inputs = inputsOf(graph, item, (ordinal) => stage.facts(ordinal));
  if (typeof inputs === 'string')
    return fail(tx, input, stage, i, { code: 'requirements_unmet', reason: inputs });
  // A person decides it, and is asked without a slot.
  if (item.approval !== undefined) return { what: 'approval' };
  const { attempt, actor, decision } = decisionOn(input, stage, i, tx.now);
  if (decision === 'failing') return { what: 'waits' };
  if (decision === 'undecided')
    return {
      what: 'undecided',
      undecided: {
        ordinal: i,
        attempt,
        request: {
          phase: 'fire',
          runId: run.id,
          itemId: item.id,
          actor,
          effect: item.shape?.effect ?? 'unknown',
          ...(item.shape === undefined ? {} : { shape: item.shape.id }),
          inputRefs: inputs.map(({ ref }) => ref),
          submittedAt: run.submittedAt,
        },
      },
    };
  if ('fault' in decision) return fail(tx, input, stage, i, decision.fault);
  const authorization = await authorizationOf(tx, input, stage, i, decision);
  if (letsThrough(authorization)) return { what: 'go', inputs, authorization };
  return deny(tx, input, stage, i, authorization);
}

/** The decision as it is sealed, with the approval that it needs besides. */
async function authorizationOf(
  tx: WriteTx,
  input: StepInput,
  stage: Stage,
  i: number,
  { verdict, at }: Extract<Decision, { readonly at: number }>,
): Promise<Authorization> {
  const decided = {
    ...verdict,
    effect: input.graph.item(i).shape?.effect ?? 'unknown',
    at: Math.min(at, tx.now),
  } as const;
  const approvedBy = needsApproval(decided) ? await approvalOf(tx, input, stage, i) : undefined;
  return approvedBy === undefined ? decided : { ...decided, approved_by: approvedBy };
}

async function fail(tx: WriteTx, input: StepInput, stage: Stage, i: number, end: Required<ItemEnd>) {
  const { run, graph } = input;
  const item = graph.item(i);
  stage.set(i, { state: 'failed' });
  await markEnded(tx, run.id, i, stage.facts(i), end);
  await tx.journal.append(runStream(run.id), 'item.failed', {
    item: item.id,
    code: end.code ?? 'internal',
    reason: end.reason ?? '',
  });
  if (item.locks.length > 0) await releaseLocks(tx, run.id, item.id);
  return { what: 'ended' } as const;
}

async function deny(
  tx: WriteTx,
  { run, graph }: StepInput,
  stage: Stage,
  i: number,
  authorization: Authorization,
) {
  const item = graph.item(i);
  const { reason: _, ...facts } = authorization;
  const reason = denialOf(authorization);
  stage.set(i, { state: 'denied' });
  await markEnded(tx, run.id, i, stage.facts(i), { code: 'policy_denied', reason });
  await tx.journal.append(runStream(run.id), 'item.denied', {
    item: item.id,
    reason,
    authorization: facts,
  });
  if (item.locks.length > 0) await releaseLocks(tx, run.id, item.id);
  return { what: 'ended' } as const;
}

import type { AgentDefinition, AnsweredRef } from '@palisade/contracts';
import { canonicalHash } from '@palisade/contracts';
import type { ReadTx } from '@palisade/kernel';
import { type EarlierAttempt, earlierAttempt } from '../engine/earlier-attempt.ts';
import { answeredBefore, type QuestionRequest } from './request-store.ts';

/** What an attempt is given of those before it. */
export interface GoesOnWith {
  /** The attempt whose session or changes it goes on with; null when it begins anew. */
  readonly earlier: EarlierAttempt | null;
  /** The questions of its item so far with their answers, oldest first. */
  readonly answers: readonly QuestionRequest[];
}

/**
 * What the attempt goes on with: the vendor's session of the attempt before, where the agent's settings ask for
 * that; else the changes of the last attempt whose question was answered. Its item's answers it gets in any case.
 */
export async function goesOnWith(
  tx: ReadTx,
  runId: string,
  itemId: string,
  agent: AgentDefinition | undefined,
  attempt: number,
): Promise<GoesOnWith> {
  if (attempt === 1) return { earlier: null, answers: [] };
  const answers = await answeredBefore(tx, runId, itemId, attempt);
  const last = answers.at(-1);
  const earlier =
    (await earlierAttempt(tx, runId, itemId, agent, attempt)) ??
    (last === undefined ? null : { attempt: last.attempt, session: null, patch: last.patch, reason: null });
  return { earlier, answers };
}

/** As the attempt's manifest names them. */
export function answeredRefs(answers: readonly QuestionRequest[]): AnsweredRef[] {
  return answers.map(({ id, hash, answer }) => ({
    request: id,
    request_hash: hash,
    answer_hash: canonicalHash(answer),
  }));
}

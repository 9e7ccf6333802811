import {
  type AnswerRecord,
  type answerRequest,
  type CallContext,
  canonicalHash,
  canonicalJson,
  faultPoint,
  PalisadeError,
} from '@palisade/contracts';
import { answerOrRehearse, receiptOf, type WriteTx } from '@palisade/kernel';
import { bumpControl, putDocument, resolveRun, runStream } from '@palisade/runs';
import type * as z from 'zod';
import type { PlanDeps } from '../plans/plan-deps.ts';
import { assertNamed, openRequest } from './open-request.ts';
import { endRequest, type QuestionRequest } from './request-store.ts';
import { viewOf } from './view-of.ts';

type Input = z.output<(typeof answerRequest)['input']>;
type Output = z.output<(typeof answerRequest)['output']>;

/**
 * Answers an agent's question, from any process: the answer, its place in the ledger and the wish for the run's
 * owner are one commit. Of two people one is first; the other gets `invalid_state` with who it was.
 * From an item's second question on, the answer has to name it by its hash.
 */
export async function answerQuestion(deps: PlanDeps, input: Input, context: CallContext): Promise<Output> {
  if (input.answer !== undefined) deps.scanText(input.answer, 'the answer');
  const wish = async (tx: WriteTx): Promise<Output> => {
    const run = await resolveRun(tx, context.project, input.run);
    const request = await openRequest(tx, run, input.item, input.hash);
    if (request.kind !== 'question')
      throw new PalisadeError('invalid_state', `${run.id}/${input.item} is to be approved or denied`, {
        next: `palisade approve ${run.id}/${input.item}`,
      });
    await assertNamed(tx, request, input.hash);
    const record: AnswerRecord = {
      schema_version: 1,
      request: request.id,
      request_hash: request.hash,
      actor: context.actor,
      answered_at: tx.now,
      ...wordsOf(request, input),
    };
    await endRequest(tx, request, { outcome: 'answered', actor: context.actor, record });
    await putDocument(tx, run.id, canonicalJson(record));
    await tx.journal.append(runStream(run.id), 'item.answered', {
      item: request.itemId,
      attempt: request.attempt,
      request: request.id,
      request_hash: request.hash,
      actor: context.actor,
      answer_hash: canonicalHash(record),
    });
    await bumpControl(tx, run.id);
    faultPoint('answer.before-commit');
    const ended = { ...request, outcome: 'answered' as const, endedAt: tx.now, actor: context.actor };
    return { request: viewOf({ ...ended, answer: record }, run.title, tx.now) };
  };
  const receipt = receiptOf(context, 'requests.answer');
  const call = { receipt, request: input, dryRun: input.dry_run };
  const result = await answerOrRehearse(deps.database, call, wish);
  if (input.dry_run === true) return result;
  faultPoint('answer.after-commit');
  deps.onControl(result.request.run_id);
  return result;
}

/** The answer's text, and which option it is: the text of an option chosen by number, or the number of one that was typed. */
function wordsOf(
  { question, runId, itemId }: QuestionRequest,
  { answer, option }: Input,
): Pick<AnswerRecord, 'answer' | 'option'> {
  const options = question.options ?? [];
  if (option === undefined) {
    const text = (answer ?? '').trim();
    if (text === '') throw new PalisadeError('invalid_input', 'the answer says nothing');
    const at = options.indexOf(text);
    return { answer: text, ...(at === -1 ? {} : { option: at + 1 }) };
  }
  const chosen = options[option - 1];
  if (chosen === undefined)
    throw new PalisadeError(
      'invalid_input',
      options.length === 0
        ? `the question of ${runId}/${itemId} has no options`
        : `the question of ${runId}/${itemId} has ${options.length} options, there is no ${option}`,
    );
  return { answer: chosen, option };
}

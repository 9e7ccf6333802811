import { readFileSync } from 'node:fs';
import {
  ANSWER_KEY,
  ANSWER_TEXT_KEY,
  type AnswerFile,
  type AttemptSpec,
  contentHash,
  PalisadeError,
  QUESTION_FILE,
} from '@palisade/contracts';
import { writeFileSafely } from '../overlay/safe-file.ts';

type Answers = NonNullable<AttemptSpec['answers']>;

/**
 * Puts what people answered where every program of the attempt finds it: `inputs/answer.json` with the questions
 * and the state the agent left, and the last answer's text alone in `inputs/answer.txt`.
 *
 * @throws PalisadeError `integrity_mismatch` when the state is not the one that was left
 */
export function writeAnswers(root: string, answers: Answers): void {
  const last = answers.at(-1);
  if (last === undefined) return;
  const { partial_state: state, ...words } = last.question;
  const file: AnswerFile = {
    schema_version: 1,
    attempt: last.attempt,
    ...words,
    ...answerOf(last),
    answered_at: last.answer.answered_at,
    ...(state === undefined || last.state_path === undefined
      ? {}
      : { partial_state: readState(state.ref, last.state_path) }),
    earlier: answers.slice(0, -1).map((each) => ({ question: each.question.question, ...answerOf(each) })),
  };
  writeFileSafely(root, `inputs/${ANSWER_KEY}`, Buffer.from(`${JSON.stringify(file, null, 2)}\n`, 'utf8'));
  writeFileSafely(root, `inputs/${ANSWER_TEXT_KEY}`, Buffer.from(`${last.answer.answer}\n`, 'utf8'));
}

function answerOf({
  answer: { answer, option, actor },
}: Answers[number]): Pick<AnswerFile, 'answer' | 'option' | 'answered_by'> {
  return { answer, ...(option === undefined ? {} : { option }), answered_by: actor };
}

function readState(ref: string, path: string): unknown {
  const bytes = readFileSync(path);
  if (contentHash(bytes) !== ref)
    throw new PalisadeError(
      'integrity_mismatch',
      'the partial state of the question does not hash to its address',
    );
  return JSON.parse(bytes.toString('utf8')) as unknown;
}

/** What an agent is told that asked: it may be the same session or another agent that knows nothing of it. */
export function answeredPrompt(
  attempt: { readonly spec: AttemptSpec; readonly prompt: string | null },
  answers: Answers,
  hasChanges: boolean,
): string {
  const said = answers.map(
    ({ question, answer }) => `Question: ${question.question}\nAnswer: ${answer.answer}`,
  );
  return [
    `You asked ${answers.length === 1 ? 'a question' : `${answers.length} questions`} and ended; a person has answered.`,
    ...said,
    `All about it, also the state you left, is in inputs/${ANSWER_KEY}.`,
    hasChanges
      ? 'The workspace was made anew and your changes are applied to it again; everything else you left is gone, and no process of yours is running.'
      : 'The workspace was made anew and holds none of your changes; nothing else you left is there either, and no process of yours is running.',
    'Go on until the task is done.',
    ...(attempt.prompt === null ? [] : [`The task:\n\n${attempt.prompt}`]),
  ].join('\n\n');
}

/**
 * Teaches a coding agent how to ask (DI-120). It is part of what the agent is told, because not every agent reads a
 * file somebody laid for it.
 *
 * @param workspace absolute path of the workspace as the agent sees it
 */
export function askingHelp(workspace: string): string {
  return [
    'If you cannot go on without a decision that is not yours to make, ask a person: nobody reads your output while you work.',
    `Write the file ${workspace}/${QUESTION_FILE} with the JSON {"question": "...", "options": ["...", "..."], "context": "...", "partial_state": {}} and end at once.`,
    'Only "question" is required; "options" are answers to choose from, "context" is what one has to know to answer, "partial_state" is any JSON you want to get back.',
    `Your changes are kept. You are started again with the answer in ${workspace}/inputs/${ANSWER_KEY}.`,
    'Do not ask for what you can find out or decide yourself.',
  ].join(' ');
}

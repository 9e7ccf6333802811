import * as z from 'zod';
import { type ContentHash, canonicalHash } from './canonical-json.ts';
import { limits } from './limits.ts';
import { Hash, Millis, Name } from './schema.ts';

/*
 * A question of an agent to a person (DI-119). The agent leaves it in a file and ends; its item waits, without
 * a slot and without locks, until somebody answers; the next attempt is given the answer. Nothing in it
 * is believed: it is shown to people and never carried out.
 */

/** Where an agent leaves its question, relative to the workspace. */
export const QUESTION_FILE = '.palisade/needs_input.json';
/** Under `inputs/`: the answer with all about it, and its text alone. No input of a plan may have such a key. */
export const ANSWER_KEY = 'answer.json';
export const ANSWER_TEXT_KEY = 'answer.txt';

const text = (chars: number) =>
  z
    .string()
    .max(chars)
    .refine((words) => words.isWellFormed(), 'must be text');
const said = (chars: number) => text(chars).refine((words) => words.trim() !== '', 'must say something');
const words = {
  question: said(limits.questionChars),
  /** What may be chosen; any other text is an answer too. */
  options: z.array(said(limits.optionChars)).min(1).max(limits.questionOptions).optional(),
  /** What somebody has to know who answers. */
  context: text(limits.questionContextChars).optional(),
};

/** {@link QUESTION_FILE} as an agent writes it. Members that are not listed are ignored. */
export const QuestionFile = z.object({
  ...words,
  /** What the agent wants to find again; at most 1 MiB as canonical JSON. */
  partial_state: z.unknown().optional(),
});
export type QuestionFile = z.infer<typeof QuestionFile>;

/** A question as recorded: its texts redacted, its state stored under its own address. */
export const Question = z
  .strictObject({
    ...words,
    partial_state: z.strictObject({ ref: Hash, size: z.int().nonnegative() }).optional(),
  })
  .refine(
    (question) => Buffer.byteLength(JSON.stringify(question)) <= limits.questionBytes,
    `must be at most ${limits.questionBytes} bytes without its partial state`,
  );
export type Question = z.infer<typeof Question>;

/** Id of what a person is asked: a question or an approval. */
export const RequestId = z.string().regex(/^apr_[0-9a-f]{32}$/, 'must be the id of a request');

/** Whose question it is. */
export interface Asker {
  readonly request: string;
  readonly run_id: string;
  readonly item_id: string;
  readonly attempt: number;
  readonly attempt_run: string;
}

/** Address of a question together with who asks: what an answer is bound to. Recomputed from a ledger by whoever verifies it. */
export function questionHash(asker: Asker, question: Question): ContentHash {
  return canonicalHash({ schema_version: 1, kind: 'question', ...asker, question });
}

/** What somebody answered; a document of its run, and its address is in the ledger. */
export const AnswerRecord = z.strictObject({
  schema_version: z.literal(1),
  request: RequestId,
  request_hash: Hash,
  actor: z.string(),
  answered_at: Millis,
  answer: said(limits.answerChars),
  /** Which of the options it is, counted from 1. */
  option: z.int().positive().optional(),
});
export type AnswerRecord = z.infer<typeof AnswerRecord>;

/** An answered question as an attempt's manifest names it. */
export const AnsweredRef = z.strictObject({ request: RequestId, request_hash: Hash, answer_hash: Hash });
export type AnsweredRef = z.infer<typeof AnsweredRef>;

/** `inputs/answer.json`: the last question and its answer, and those before it, oldest first. */
export const AnswerFile = z.strictObject({
  schema_version: z.literal(1),
  attempt: z.int().positive(),
  ...words,
  answer: z.string(),
  option: z.int().positive().optional(),
  answered_by: z.string(),
  answered_at: Millis,
  /** What the agent left with its question. */
  partial_state: z.unknown().optional(),
  earlier: z.array(
    z.strictObject({
      question: z.string(),
      answer: z.string(),
      option: z.int().positive().optional(),
      answered_by: z.string(),
    }),
  ),
});
export type AnswerFile = z.infer<typeof AnswerFile>;

/** An input's key that the answer has for itself. */
export function isAnswerKey(key: z.infer<typeof Name>): boolean {
  return key === ANSWER_KEY || key === ANSWER_TEXT_KEY;
}

import { closeSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ATTEMPT_FILES,
  canonicalBytes,
  contentHash,
  isPalisadeError,
  limits,
  QUESTION_FILE,
  Question,
  QuestionFile,
  zodIssues,
} from '@palisade/contracts';
import { openSafely, readFileSafely, removeSafely } from '../overlay/safe-file.ts';
import type { RunningAttempt } from './context.ts';
import { type Ending, failedWith } from './ending.ts';

/** The file with everything in it: JSON may spend six characters on one byte of a canonical form. */
const FILE_BYTES = 8 * limits.partialStateBytes;
const STATE_FILE = 'partial-state.json';

/** The ending of an attempt whose agent asks a person. */
export const ASKS: Ending = { outcome: 'needs_input', exitCode: 0, retryable: false };

/** What lies there before the agent runs is nobody's question. Called while no program of the attempt runs. */
export function forgetQuestion(attempt: RunningAttempt): void {
  removeSafely(attempt.handle.directory, QUESTION_FILE);
}

/** Whether its agent left a question, which then counts for more than the status it exited with (DI-119). */
export function hasQuestion(attempt: RunningAttempt): boolean {
  const file = openSafely(attempt.handle.directory, QUESTION_FILE);
  if (file !== null) closeSync(file);
  return file !== null;
}

/**
 * Takes the question an agent left, once everything else it left is captured. Its texts are redacted like every other word of the agent; its state is a product, and withheld like one
 * when it holds a secret.
 *
 * @returns {@link ASKS}, with the question in the attempt's product, or the failure of a question that cannot be
 *   put to anybody: what was asked is never guessed at
 */
export function takeQuestion(attempt: RunningAttempt): Ending {
  const found = readFileSafely(attempt.handle.directory, QUESTION_FILE, FILE_BYTES);
  if (found === null) return unfit('cannot be read');
  if (found.isCut) return unfit(`is larger than ${FILE_BYTES} bytes`);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(found.bytes));
  } catch {
    return unfit('is not JSON');
  }
  const parsed = QuestionFile.safeParse(value);
  if (!parsed.success) return unfit(firstIssue(parsed.error));
  const { question, options, context, partial_state: state } = parsed.data;
  const clean = (text: string, chars: number): string => attempt.report.text(text, chars);
  const asked: Question = {
    question: clean(question, limits.questionChars),
    ...(options === undefined ? {} : { options: options.map((each) => clean(each, limits.optionChars)) }),
    ...(context === undefined ? {} : { context: clean(context, limits.questionContextChars) }),
  };
  const fits = Question.safeParse(asked);
  if (!fits.success) return unfit(firstIssue(fits.error));
  if (state === undefined) {
    attempt.report.facts({ question: asked });
    return ASKS;
  }
  const kept = keepState(attempt, state);
  if ('outcome' in kept) return kept;
  attempt.report.facts({ question: { ...asked, partial_state: kept } });
  return ASKS;
}

function keepState(attempt: RunningAttempt, state: unknown): NonNullable<Question['partial_state']> | Ending {
  let bytes: Buffer;
  try {
    bytes = canonicalBytes(state);
  } catch (error) {
    if (!isPalisadeError(error, 'not_canonical')) throw error;
    return unfit('has a partial_state without a canonical form');
  }
  if (bytes.byteLength > limits.partialStateBytes)
    return unfit(`has a partial_state of more than ${limits.partialStateBytes} bytes`);
  const leak = attempt.scanner.find(bytes);
  if (leak !== null)
    return failedWith(
      'credential_in_text',
      `the partial_state of its question holds the value of the secret ${leak.secret}; it is withheld`,
    );
  const products = join(attempt.attemptDir, ATTEMPT_FILES.products);
  mkdirSync(products, { recursive: true, mode: 0o755 });
  writeFileSync(join(products, STATE_FILE), bytes);
  const ref = contentHash(bytes);
  attempt.report.file({ file: STATE_FILE, ref, size: bytes.byteLength });
  return { ref, size: bytes.byteLength };
}

function unfit(why: string): Ending {
  return failedWith('invalid_model_output', `the agent's question in ${QUESTION_FILE} ${why}`);
}

function firstIssue(error: Parameters<typeof zodIssues>[0]): string {
  const [issue] = zodIssues(error);
  return issue === undefined ? 'is malformed' : `is malformed at ${issue.path}: ${issue.message}`;
}

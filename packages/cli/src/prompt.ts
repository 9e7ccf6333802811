import type { Writable } from 'node:stream';
import type { Invocation } from './invocation.ts';
import { Interrupted } from './interrupt.ts';
import type { Question } from './tree/declaration.ts';
import { foreignBlock } from './output/foreign-text.ts';
import { UsageError } from './tree/usage-error.ts';

/*
 * Questions are declared with their command, are asked on a terminal only and are never needed: each
 * names the flag that answers it, and where nothing may be asked the command fails with that name
 * (cli.md §4). Prompts go to standard error, so that standard output stays data.
 */

type Prompts = typeof import('@clack/prompts');
type Plain = typeof import('./plain-prompt.ts');
interface Common {
  readonly message: string;
  readonly input: NodeJS.ReadStream;
  readonly output: Writable;
  readonly signal: AbortSignal;
}

/** Asks yes or no; the default, printed, is no. */
export function confirm(invocation: Invocation, question: Question): Promise<boolean> {
  return ask(
    invocation,
    question,
    (plain) => plain.plainConfirm(invocation, question.words),
    (prompts, common) => prompts.confirm({ ...common, initialValue: false }),
  );
}

/** Asks for a secret without echo. */
export function askSecret(invocation: Invocation, question: Question): Promise<string> {
  return ask(
    invocation,
    question,
    (plain) => plain.plainSecret(invocation, question.words),
    (prompts, common) => prompts.password(common),
  );
}

/** Asks for a word, such as the name of what is about to be destroyed. */
export function askWord(invocation: Invocation, question: Question): Promise<string> {
  return ask(
    invocation,
    question,
    (plain) => plain.plainWord(invocation, question.words),
    (prompts, common) => prompts.text(common),
  );
}

/** The error where a question cannot be asked; names what answers it instead. */
export function needs({ words, flag }: Question): UsageError {
  return new UsageError(`this needs an answer and nothing may be asked here: ${words}`, {
    next: `give ${flag}`,
  });
}

async function ask<T>(
  invocation: Invocation,
  question: Question,
  still: (plain: Plain) => Promise<T>,
  drawn: (prompts: Prompts, common: Common) => Promise<unknown>,
): Promise<T> {
  if (!invocation.settings.mayAsk) throw needs(question);
  if (invocation.settings.isAccessible) return still(await import('./plain-prompt.ts'));
  const prompts = await import('@clack/prompts');
  const { stdin } = invocation;
  // The end of input answers nothing, and the prompt would wait on for ever.
  const ended = new AbortController();
  const onEnd = (): void => ended.abort();
  const onKey = (_: unknown, key?: { readonly ctrl?: boolean; readonly name?: string }): void => {
    if (key?.ctrl === true && key.name === 'd') onEnd();
  };
  stdin.once('end', onEnd).on('keypress', onKey);
  try {
    const answer = await drawn(prompts, {
      message: foreignBlock(question.words),
      input: stdin,
      output: invocation.err.stream as Writable,
      signal: AbortSignal.any([invocation.interrupted, ended.signal]),
    });
    if (prompts.isCancel(answer)) throw new Interrupted('interrupted');
    return answer as T;
  } finally {
    stdin.off('end', onEnd).off('keypress', onKey);
  }
}

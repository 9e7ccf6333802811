import type { Invocation } from './invocation.ts';
import { Interrupted } from './interrupt.ts';
import { UsageError } from './tree/usage-error.ts';

/*
 * Questions are asked on a terminal only and are never needed: each names the flag that answers it,
 * and where nothing may be asked the command fails with that name (cli.md §4). Prompts go to
 * standard error, so that standard output stays data.
 */

/** Asks yes or no; the default, printed, is no. `flag` is what answers it without asking. */
export async function confirm(invocation: Invocation, question: string, flag: string): Promise<boolean> {
  if (!invocation.settings.mayAsk) throw needs(flag, question);
  const { confirm: ask, isCancel } = await import('@clack/prompts');
  const answer = await ask({
    message: question,
    initialValue: false,
    input: invocation.stdin,
    output: process.stderr,
  });
  if (isCancel(answer)) throw new Interrupted('interrupted');
  return answer;
}

/** Asks for a secret without echo. */
export async function askSecret(invocation: Invocation, question: string, flag: string): Promise<string> {
  if (!invocation.settings.mayAsk) throw needs(flag, question);
  const { password, isCancel } = await import('@clack/prompts');
  const answer = await password({ message: question, input: invocation.stdin, output: process.stderr });
  if (isCancel(answer)) throw new Interrupted('interrupted');
  return answer;
}

/** The error where a question cannot be asked; names what answers it instead. */
export function needs(flag: string, question: string): UsageError {
  return new UsageError(`this needs an answer and nothing may be asked here: ${question}`, {
    next: `give ${flag}`,
  });
}

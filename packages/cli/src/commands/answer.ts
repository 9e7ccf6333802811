import { answerRequest, limits } from '@palisade/contracts';
import type { Invocation } from '../invocation.ts';
import { foreignLine } from '../output/foreign-text.ts';
import { emit } from '../output/format.ts';
import { outcome } from '../output/outcome.ts';
import { requestLines, shortHash } from '../output/request-lines.ts';
import { askWord } from '../prompt.ts';
import { askedBy, itemOf } from '../requests-of.ts';
import { saidText } from '../said-text.ts';
import { answerCommand } from '../tree/request-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';

type Given = { readonly option: number } | { readonly answer: string };

/** `pal answer RUN/ITEM [TEXT]`: answers a question; without an answer it shows the question and asks for one. */
export const execute: Handler<typeof answerCommand> = async (invocation, args, flags) => {
  if (args.text !== undefined && flags.option !== undefined)
    throw new UsageError('give an answer or --option, not both');
  if (flags.option !== undefined) return send(invocation, args.target, { option: flags.option }, flags.hash);
  if (args.text === undefined) return answerShown(invocation, args.target, flags.hash);
  // Four bytes hold any character.
  return send(
    invocation,
    args.target,
    { answer: await saidText(invocation, args.text, limits.answerChars * 4, 'an answer') },
    flags.hash,
  );
};

async function send(
  invocation: Invocation,
  ref: string,
  given: Given,
  hash: string | undefined,
): Promise<number> {
  const { run, item } = await itemOf(invocation, ref);
  const answer = await invocation.call(answerRequest, {
    run,
    item,
    ...given,
    ...(hash === undefined ? {} : { hash }),
    ...invocation.rehearsed,
  });
  if (!invocation.isDryRun) await (await invocation.controlPlane()).ensureEngine();
  const { request } = answer;
  const target = `${request.run_id}/${request.item}`;
  emit(invocation, {
    json: answer,
    records: [request],
    ids: [target],
    text: () => [`${outcome(invocation, 'answer')}${target}  ${foreignLine(request.answer ?? '')}`.trimEnd()],
  });
  if (!invocation.isDryRun) invocation.hint(`pal watch ${request.run_id}`);
  return 0;
}

/** Shows what an item asks on a terminal, and takes the answer or the decision: what key `a` of the live view does. */
export async function answerHere(invocation: Invocation, target: string): Promise<void> {
  const request = await askedBy(invocation, target, 'answer');
  if (request.kind === 'question') await answerShown(invocation, target, undefined);
  else await (await import('./approve.ts')).approveShown(invocation, target, undefined);
}

/** Shows the question on a terminal and takes the answer; it is bound to what was shown, or to `hash`. */
async function answerShown(
  invocation: Invocation,
  target: string,
  hash: string | undefined,
): Promise<number> {
  const request = await askedBy(invocation, target, 'answer');
  if (request.kind === 'approval')
    throw new UsageError(`${target} is to be approved or denied`, { next: `pal approve ${target}` });
  for (const line of requestLines(request, invocation.settings.times)) invocation.err.line(line);
  const words = (await askWord(invocation, answerCommand.asks.option)).trim();
  const option = Number(words);
  const isOption = /^\d+$/.test(words) && option >= 1 && option <= (request.options ?? []).length;
  return send(invocation, target, isOption ? { option } : { answer: words }, hash ?? shortHash(request));
}

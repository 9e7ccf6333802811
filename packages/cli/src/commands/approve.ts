import { Interrupted } from '../interrupt.ts';
import type { Invocation } from '../invocation.ts';
import { requestLines, shortHash } from '../output/request-lines.ts';
import { confirm } from '../prompt.ts';
import { askedBy } from '../requests-of.ts';
import { approveCommand } from '../tree/request-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import { decide } from './decide.ts';
import type { Handler } from './handler.ts';

/**
 * `pal approve RUN/ITEM`: shows all that is asked and its hash, then asks; `--hash` binds to what somebody saw
 * before. Nothing is ever approved that was not shown.
 */
export const execute: Handler<typeof approveCommand> = async (invocation, args, flags) =>
  flags.hash !== undefined || invocation.isDryRun
    ? decide(invocation, 'approve', args.target, flags)
    : approveShown(invocation, args.target, flags.reason);

/** Shows the request on a terminal and takes the decision; it is bound to what was shown. */
export async function approveShown(
  invocation: Invocation,
  target: string,
  reason: string | undefined,
): Promise<number> {
  const request = await askedBy(invocation, target, 'approve');
  if (request.kind === 'question')
    throw new UsageError(`${target} asks a question`, { next: `pal answer ${target}` });
  for (const line of requestLines(request, invocation.settings.times)) invocation.err.line(line);
  const hash = shortHash(request);
  const question = { ...approveCommand.asks.hash, flag: `--hash ${hash}` };
  if (!(await confirm(invocation, question))) throw new Interrupted('not approved');
  return decide(invocation, 'approve', target, { hash, reason });
}

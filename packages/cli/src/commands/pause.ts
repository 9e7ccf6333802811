import { pauseQueue, pauseRun } from '@palisade/contracts';
import type { pauseCommand } from '../tree/run-commands.ts';
import type { Handler } from './handler.ts';
import { type Held, heldTarget, tellHeld } from './held.ts';

/** `pal pause RUN|--queue NAME`. */
export const execute: Handler<typeof pauseCommand> = async (invocation, args, flags) => {
  const target = heldTarget(args.run, flags.queue, 'pause');
  const why = flags.reason === undefined ? {} : { reason: flags.reason };
  const answer: Held =
    'name' in target
      ? await invocation.call(pauseQueue, { ...target, ...why, ...invocation.rehearsed })
      : await invocation.call(pauseRun, { ...target, ...why, ...invocation.rehearsed });
  tellHeld(invocation, answer, { wish: 'paused', unchanged: 'already paused' });
  if (!invocation.isDryRun)
    invocation.hint('name' in answer ? `pal resume --queue ${answer.name}` : `pal resume ${answer.run_id}`);
  return 0;
};

import { resumeQueue, resumeRun } from '@palisade/contracts';
import type { resumeCommand } from '../tree/run-commands.ts';
import type { Handler } from './handler.ts';
import { type Held, heldTarget, tellHeld } from './held.ts';

/** `pal resume RUN|--queue NAME`. */
export const execute: Handler<typeof resumeCommand> = async (invocation, args, flags) => {
  const target = heldTarget(args.run, flags.queue, 'resume');
  const answer: Held =
    'name' in target
      ? await invocation.call(resumeQueue, { ...target, ...invocation.rehearsed })
      : await invocation.call(resumeRun, { ...target, ...invocation.rehearsed });
  // A run at rest has no owner: going on needs an engine.
  if (!invocation.isDryRun) await (await invocation.controlPlane()).ensureEngine();
  tellHeld(invocation, answer, { wish: 'resumed', unchanged: 'was not paused' });
  if (!invocation.isDryRun)
    invocation.hint('name' in answer ? `pal queue show ${answer.name}` : `pal watch ${answer.run_id}`);
  return 0;
};

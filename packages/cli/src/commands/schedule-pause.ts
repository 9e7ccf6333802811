import { pauseSchedule } from '@palisade/contracts';
import type { schedulePauseCommand } from '../tree/schedule-commands.ts';
import type { Handler } from './handler.ts';
import { printChanged } from './schedule-rows.ts';

/** `pal schedule pause NAME`. */
export const execute: Handler<typeof schedulePauseCommand> = async (invocation, args) => {
  const answer = await invocation.call(pauseSchedule, { name: args.name, ...invocation.rehearsed });
  printChanged(invocation, answer, 'pause');
  if (!invocation.isDryRun) invocation.hint(`pal schedule resume ${args.name}`);
  return 0;
};

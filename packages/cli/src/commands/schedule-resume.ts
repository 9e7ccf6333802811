import { resumeSchedule } from '@palisade/contracts';
import type { scheduleResumeCommand } from '../tree/schedule-commands.ts';
import type { Handler } from './handler.ts';
import { printChanged } from './schedule-rows.ts';

/** `pal schedule resume NAME`: also of one that is enabled, for the sake of the engine. */
export const execute: Handler<typeof scheduleResumeCommand> = async (invocation, args) => {
  const answer = await invocation.call(resumeSchedule, { name: args.name, ...invocation.rehearsed });
  if (!invocation.isDryRun) await (await invocation.controlPlane()).ensureEngine();
  printChanged(invocation, answer, 'resume');
  if (!invocation.isDryRun) invocation.hint(`pal schedule show ${args.name}`);
  return 0;
};

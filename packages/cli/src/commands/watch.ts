import { followAndReport } from '../follow/follow-command.ts';
import type { watchCommand } from '../tree/run-commands.ts';
import type { Handler } from './handler.ts';

/** `pal watch [RUN]`: follow a run until it ends; leaving never stops it. */
export const execute: Handler<typeof watchCommand> = (invocation, args, flags) =>
  followAndReport(invocation, args.run ?? '-', flags);

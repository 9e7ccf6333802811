import type { denyCommand } from '../tree/request-commands.ts';
import { decide } from './decide.ts';
import type { Handler } from './handler.ts';

/** `pal deny RUN/ITEM`: says no; what depends on the item is skipped. */
export const execute: Handler<typeof denyCommand> = (invocation, args, flags) =>
  decide(invocation, 'deny', args.target, flags);

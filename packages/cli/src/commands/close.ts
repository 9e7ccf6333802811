import { extendRun } from '@palisade/contracts';
import { sayExtended } from '../extended.ts';
import type { closeCommand } from '../tree/run-commands.ts';
import type { Handler } from './handler.ts';

/** `pal close RUN`: an open-ended run ends when all its items have (DI-205). */
export const execute: Handler<typeof closeCommand> = async (invocation, args) =>
  sayExtended(
    invocation,
    await invocation.call(extendRun, { run: args.run, close: true, ...invocation.rehearsed }),
  );

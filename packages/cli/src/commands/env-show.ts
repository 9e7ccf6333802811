import { getEnvironment } from '@palisade/contracts';
import type { envShowCommand } from '../tree/registry-commands.ts';
import type { Handler } from './handler.ts';
import { printHistory } from './registry-rows.ts';

/** `pal env show NAME`. */
export const execute: Handler<typeof envShowCommand> = async (invocation, args) =>
  printHistory(invocation, await invocation.call(getEnvironment, { name: args.name }), 'env', args.name);

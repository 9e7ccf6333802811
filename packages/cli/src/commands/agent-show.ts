import { getAgent } from '@palisade/contracts';
import type { agentShowCommand } from '../tree/registry-commands.ts';
import type { Handler } from './handler.ts';
import { printHistory } from './registry-rows.ts';

/** `pal agent show NAME`. */
export const execute: Handler<typeof agentShowCommand> = async (invocation, args) =>
  printHistory(invocation, await invocation.call(getAgent, { name: args.name }), 'agent', args.name);

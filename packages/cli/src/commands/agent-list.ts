import { listAgents } from '@palisade/contracts';
import type { agentListCommand } from '../tree/registry-commands.ts';
import type { Handler } from './handler.ts';
import { printCatalogue } from './registry-rows.ts';
import { pageOf } from '../page.ts';

/** `pal agent list`. */
export const execute: Handler<typeof agentListCommand> = async (invocation, _args, flags) => {
  const answer = await invocation.call(listAgents, {
    ...pageOf(flags),
  });
  return printCatalogue(invocation, answer, 'agent', 'agents');
};

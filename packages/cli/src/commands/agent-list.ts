import { listAgents } from '@palisade/contracts';
import type { agentListCommand } from '../tree/registry-commands.ts';
import type { Handler } from './handler.ts';
import { printCatalogue } from './registry-rows.ts';

/** `pal agent list`. */
export const execute: Handler<typeof agentListCommand> = async (invocation, _args, flags) => {
  const answer = await invocation.call(listAgents, {
    ...(flags.limit === undefined ? {} : { limit: flags.limit }),
    ...(flags.cursor === undefined ? {} : { cursor: flags.cursor }),
  });
  return printCatalogue(invocation, answer, 'agent', 'agents');
};

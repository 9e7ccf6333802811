import { readAgents } from '../conventions/agents.ts';
import type { agentSyncCommand } from '../tree/deploy-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import { userPath } from '../user-path.ts';
import type { Handler } from './handler.ts';
import { printSync, synchronize } from './sync.ts';

/** `pal agent sync [DIR]`: the agents that a directory describes for Claude Code (DI-051). */
export const execute: Handler<typeof agentSyncCommand> = async (invocation, args, flags) => {
  const root = userPath(invocation.directory, args.directory ?? '.');
  const { agents, warnings } = readAgents(root, flags.modelEndpoint);
  if (agents.length === 0)
    throw new UsageError('there are no agents under .claude/agents', { next: 'pal agent sync DIR' });
  const answer = await synchronize(invocation, {
    owner: 'sync:claude-code:agents',
    entries: agents.map((input) => ({ kind: 'agent', input })),
    warnings,
    adopts: flags.adopt,
  });
  return printSync(invocation, answer);
};

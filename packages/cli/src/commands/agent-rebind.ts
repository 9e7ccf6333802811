import { emit } from '../output/format.ts';
import type { agentRebindCommand } from '../tree/deploy-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import type { Handler } from './handler.ts';
import { rebindAgents, rebindLines, staleAgents } from './sync.ts';

/** `pal agent rebind NAME... | --all`: new revisions with the present content of the capabilities (DI-044). */
export const execute: Handler<typeof agentRebindCommand> = async (invocation, args, flags) => {
  if (flags.all === args.names.length > 0)
    throw new UsageError('name agents, or give --all', { next: 'pal agent stale' });
  const answers = await rebindAgents(
    invocation,
    flags.all ? await staleAgents(invocation) : [...new Set(args.names)],
  );
  emit(invocation, {
    json: { data: answers },
    records: answers,
    ids: answers.map(({ name }) => name),
    text: () =>
      answers.length === 0
        ? ['every agent is bound to the present content of its capabilities']
        : rebindLines(invocation, answers),
  });
  return 0;
};

import { listStaleAgents } from '@palisade/contracts';
import { emit } from '../output/format.ts';
import { renderRows } from '../output/row.ts';
import type { agentStaleCommand } from '../tree/deploy-commands.ts';
import type { Handler } from './handler.ts';

const HASH_DIGITS = 'sha256:'.length + 12;

/** `pal agent stale [NAME]`: capabilities that have newer content than agents are bound to (DI-044). */
export const execute: Handler<typeof agentStaleCommand> = async (invocation, args) => {
  const answer = await invocation.call(listStaleAgents, args.name === undefined ? {} : { name: args.name });
  const { data } = answer;
  emit(invocation, {
    json: answer,
    records: data,
    ids: [...new Set(data.map(({ agent }) => agent))],
    text: () =>
      data.length === 0
        ? ['every agent is bound to the present content of its capabilities']
        : renderRows(
            data.map(({ agent, capability, bound, latest }) => ({
              state: 'stale',
              id: agent,
              title: capability,
              aside: `${bound.slice(7, HASH_DIGITS)} -> ${latest.slice(7, HASH_DIGITS)}`,
            })),
            invocation.settings.style,
          ),
  });
  if (data.length > 0) invocation.hint('pal agent rebind --all');
  return 0;
};

import { PalisadeError, removeEnvironment } from '@palisade/contracts';
import { emit } from '../output/format.ts';
import { outcome } from '../output/outcome.ts';
import type { envRemoveCommand } from '../tree/registry-commands.ts';
import type { Handler } from './handler.ts';

/** `pal env remove NAME`: the name means nothing any more; runs it was given to and its secrets stay. */
export const execute: Handler<typeof envRemoveCommand> = async (invocation, args) => {
  const answer = await invocation.call(removeEnvironment, { name: args.name, ...invocation.rehearsed });
  if (!answer.removed)
    throw new PalisadeError('not_found', `no env is named ${args.name}`, { next: 'pal env list' });
  emit(invocation, {
    json: answer,
    records: [answer],
    ids: [answer.name],
    text: () => [
      `${outcome(invocation, 'remove')}${answer.name}  ${invocation.isDryRun ? '' : 'removed; '}its secrets stay (pal secret list)`,
    ],
  });
  return 0;
};

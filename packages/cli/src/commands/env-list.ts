import { listEnvironments } from '@palisade/contracts';
import type { envListCommand } from '../tree/registry-commands.ts';
import type { Handler } from './handler.ts';
import { printCatalogue } from './registry-rows.ts';

/** `pal env list`. */
export const execute: Handler<typeof envListCommand> = async (invocation, _args, flags) => {
  const answer = await invocation.call(listEnvironments, {
    ...(flags.limit === undefined ? {} : { limit: flags.limit }),
    ...(flags.cursor === undefined ? {} : { cursor: flags.cursor }),
  });
  return printCatalogue(invocation, answer, 'env', 'environments');
};

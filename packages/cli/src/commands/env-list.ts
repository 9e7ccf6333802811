import { listEnvironments } from '@palisade/contracts';
import type { envListCommand } from '../tree/registry-commands.ts';
import type { Handler } from './handler.ts';
import { printCatalogue } from './registry-rows.ts';
import { pageOf } from '../page.ts';

/** `pal env list`. */
export const execute: Handler<typeof envListCommand> = async (invocation, _args, flags) => {
  const answer = await invocation.call(listEnvironments, {
    ...pageOf(flags),
  });
  return printCatalogue(invocation, answer, 'env', 'environments');
};

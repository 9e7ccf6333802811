import { listModelEndpoints } from '@palisade/contracts';
import type { modelEndpointListCommand } from '../tree/registry-commands.ts';
import type { Handler } from './handler.ts';
import { printCatalogue } from './registry-rows.ts';
import { pageOf } from '../page.ts';

/** `pal model-endpoint list`. */
export const execute: Handler<typeof modelEndpointListCommand> = async (invocation, _args, flags) => {
  const answer = await invocation.call(listModelEndpoints, {
    ...pageOf(flags),
  });
  return printCatalogue(invocation, answer, 'model-endpoint', 'model endpoints');
};

import { listModelEndpoints } from '@palisade/contracts';
import type { modelEndpointListCommand } from '../tree/registry-commands.ts';
import type { Handler } from './handler.ts';
import { printCatalogue } from './registry-rows.ts';

/** `pal model-endpoint list`. */
export const execute: Handler<typeof modelEndpointListCommand> = async (invocation, _args, flags) => {
  const answer = await invocation.call(listModelEndpoints, {
    ...(flags.limit === undefined ? {} : { limit: flags.limit }),
    ...(flags.cursor === undefined ? {} : { cursor: flags.cursor }),
  });
  return printCatalogue(invocation, answer, 'model-endpoint', 'model endpoints');
};

import { listPipelines } from '@palisade/contracts';
import type { pipelineListCommand } from '../tree/registry-commands.ts';
import type { Handler } from './handler.ts';
import { printCatalogue } from './registry-rows.ts';

/** `pal pipeline list`. */
export const execute: Handler<typeof pipelineListCommand> = async (invocation, _args, flags) => {
  const answer = await invocation.call(listPipelines, {
    ...(flags.limit === undefined ? {} : { limit: flags.limit }),
    ...(flags.cursor === undefined ? {} : { cursor: flags.cursor }),
  });
  return printCatalogue(invocation, answer, 'pipeline', 'pipelines');
};

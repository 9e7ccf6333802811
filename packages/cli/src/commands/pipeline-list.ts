import { listPipelines } from '@palisade/contracts';
import type { pipelineListCommand } from '../tree/registry-commands.ts';
import type { Handler } from './handler.ts';
import { printCatalogue } from './registry-rows.ts';
import { pageOf } from '../page.ts';

/** `pal pipeline list`. */
export const execute: Handler<typeof pipelineListCommand> = async (invocation, _args, flags) => {
  const answer = await invocation.call(listPipelines, {
    ...pageOf(flags),
  });
  return printCatalogue(invocation, answer, 'pipeline', 'pipelines');
};

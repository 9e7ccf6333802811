import { getPipeline } from '@palisade/contracts';
import type { pipelineShowCommand } from '../tree/registry-commands.ts';
import type { Handler } from './handler.ts';
import { printHistory } from './registry-rows.ts';

/** `pal pipeline show NAME`. */
export const execute: Handler<typeof pipelineShowCommand> = async (invocation, args) =>
  printHistory(invocation, await invocation.call(getPipeline, { name: args.name }), 'pipeline', args.name);

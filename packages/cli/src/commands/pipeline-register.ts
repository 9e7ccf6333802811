import { registerPipeline } from '@palisade/contracts';
import type { Input } from '../invocation.ts';
import { readPipeline } from '../pipeline-file.ts';
import type { pipelineRegisterCommand } from '../tree/registry-commands.ts';
import type { Handler } from './handler.ts';
import { printRegistered } from './registry-rows.ts';

/** `pal pipeline register NAME FILE`. */
export const execute: Handler<typeof pipelineRegisterCommand> = async (invocation, args, flags) => {
  const read = await readPipeline(invocation, args.source, args.name, flags.allowPattern);
  // The operation checks it.
  const input = read as Input<typeof registerPipeline>;
  return printRegistered(
    invocation,
    await invocation.call(registerPipeline, { ...input, ...invocation.rehearsed }),
    'pipeline',
  );
};

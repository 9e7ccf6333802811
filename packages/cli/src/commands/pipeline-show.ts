import { getPipeline, type PipelineBlock } from '@palisade/contracts';
import { foreignLine } from '../output/foreign-text.ts';
import { count } from '../output/time.ts';
import type { pipelineShowCommand } from '../tree/registry-commands.ts';
import type { Handler } from './handler.ts';
import { printHistory } from './registry-rows.ts';

/** `pal pipeline show NAME`: its revisions, and the blocks of its latest one. */
export const execute: Handler<typeof pipelineShowCommand> = async (invocation, args) => {
  const answer = await invocation.call(getPipeline, { name: args.name });
  const blocks = answer.blocks ?? [];
  return printHistory(invocation, answer, 'pipeline', args.name, [
    `  ${count(blocks.length, 'block')}, in order`,
    ...blocks.map((block, i) => `  ${`[${i}]`.padEnd(4)}  ${blockText(block)}`),
  ]);
};

/** A block as one line. */
export function blockText(block: PipelineBlock): string {
  switch (block.kind) {
    case 'agent':
      return 'agent';
    case 'capture':
      return `capture  ${block.what}`;
    default: {
      const limit = block.timeout_ms === undefined ? '' : `  (at most ${block.timeout_ms / 1000} s)`;
      return `${(block.lens ?? 'gate').padEnd(7)}  ${foreignLine(block.command)}${limit}`;
    }
  }
}

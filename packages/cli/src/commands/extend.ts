import { extendRun, PalisadeError } from '@palisade/contracts';
import { parseJson, readInput } from '../read-input.ts';
import type { extendCommand } from '../tree/run-commands.ts';
import { sayExtended } from '../extended.ts';
import type { Handler } from './handler.ts';

/** `pal extend RUN ITEMS`: what is answered is part of the run, in the order of the answers (DI-205). */
export const execute: Handler<typeof extendCommand> = async (invocation, args, flags) => {
  const items = itemsOf(parseJson(await readInput(invocation, args.items), args.items, 'invalid_plan'));
  const answer = await invocation.call(extendRun, {
    run: args.run,
    items,
    ...(flags.close ? { close: true } : {}),
    ...invocation.rehearsed,
  });
  return sayExtended(invocation, answer);
};

/** A plan's items, a list, or one item alone. */
function itemsOf(document: unknown): unknown[] {
  if (Array.isArray(document)) return document as unknown[];
  if (typeof document !== 'object' || document === null)
    throw new PalisadeError('invalid_plan', 'neither an item, nor a list of items, nor a plan');
  const { items } = document as { items?: unknown };
  return Array.isArray(items) ? (items as unknown[]) : [document];
}

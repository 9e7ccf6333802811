import { listCapabilities } from '@palisade/contracts';
import type { capabilityListCommand } from '../tree/registry-commands.ts';
import type { Handler } from './handler.ts';
import { printCatalogue } from './registry-rows.ts';
import { pageOf } from '../page.ts';

/** `pal capability list`. */
export const execute: Handler<typeof capabilityListCommand> = async (invocation, _args, flags) => {
  const answer = await invocation.call(listCapabilities, {
    ...pageOf(flags),
  });
  return printCatalogue(invocation, answer, 'capability', 'capabilities');
};

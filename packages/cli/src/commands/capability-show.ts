import { getCapability } from '@palisade/contracts';
import type { capabilityShowCommand } from '../tree/registry-commands.ts';
import type { Handler } from './handler.ts';
import { printHistory } from './registry-rows.ts';

/** `pal capability show NAME`. */
export const execute: Handler<typeof capabilityShowCommand> = async (invocation, args) =>
  printHistory(
    invocation,
    await invocation.call(getCapability, { name: args.name }),
    'capability',
    args.name,
  );

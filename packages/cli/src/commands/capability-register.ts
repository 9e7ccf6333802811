import { registerCapability } from '@palisade/contracts';
import { filesUnder } from '../directory-files.ts';
import type { capabilityRegisterCommand } from '../tree/registry-commands.ts';
import { userPath } from '../user-path.ts';
import type { Handler } from './handler.ts';
import { printRegistered } from './registry-rows.ts';

/** `pal capability register NAME DIR`: the regular files under a directory. */
export const execute: Handler<typeof capabilityRegisterCommand> = async (invocation, args, flags) => {
  const answer = await invocation.call(registerCapability, {
    name: args.name,
    files: filesUnder(userPath(invocation.directory, args.source), args.source),
    ...invocation.rehearsed,
    ...(flags.allowPattern.length === 0 ? {} : { allow_credential_patterns: [...flags.allowPattern] }),
  });
  return printRegistered(invocation, answer, 'capability');
};

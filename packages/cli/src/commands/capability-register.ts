import { lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type CapabilityFile, limits, PalisadeError, registerCapability } from '@palisade/contracts';
import { readRegularFile } from '../bounded-read.ts';
import type { capabilityRegisterCommand } from '../tree/registry-commands.ts';
import { UsageError } from '../tree/usage-error.ts';
import { userPath } from '../user-path.ts';
import type { Handler } from './handler.ts';
import { printRegistered } from './registry-rows.ts';

/** `pal capability register NAME DIR`: the regular files under a directory. */
export const execute: Handler<typeof capabilityRegisterCommand> = async (invocation, args, flags) => {
  const root = userPath(invocation.directory, args.source);
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`${args.source} is not a directory`);
  const answer = await invocation.call(registerCapability, {
    name: args.name,
    files: collect(root),
    ...invocation.rehearsed,
    ...(flags.allowPattern.length === 0 ? {} : { allow_credential_patterns: [...flags.allowPattern] }),
  });
  return printRegistered(invocation, answer, 'capability');
};

/** Regular files, sorted by path. A symbolic link or special file is refused: what it names may change or lie outside. */
function collect(root: string): CapabilityFile[] {
  const files: CapabilityFile[] = [];
  let bytes = 0;
  const tooLarge = (): PalisadeError =>
    new PalisadeError('too_large', `the files are larger than ${limits.capabilityBytes} bytes`);
  const walk = (directory: string, prefix: string): void => {
    for (const name of readdirSync(directory).toSorted()) {
      if (name === '.git') continue;
      const path = join(directory, name);
      const shown = `${prefix}${name}`;
      const facts = lstatSync(path);
      if (facts.isDirectory()) {
        walk(path, `${shown}/`);
        continue;
      }
      if (!facts.isFile())
        throw new PalisadeError('unsafe_path', `${shown} is a symbolic link or special file`);
      if (files.length === limits.capabilityEntries)
        throw new PalisadeError('too_large', `there are more than ${limits.capabilityEntries} files`);
      const content = readRegularFile(
        path,
        { shown, maxBytes: limits.capabilityBytes - bytes, tooLarge },
        'refuse',
      );
      bytes += content.length;
      files.push({
        path: shown,
        base64: content.toString('base64'),
        ...((facts.mode & 0o111) === 0 ? {} : { executable: true }),
      });
    }
  };
  walk(root, '');
  if (files.length === 0) throw new UsageError('the directory holds no files');
  return files;
}

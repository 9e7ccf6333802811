import { lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type CapabilityFile, limits, PalisadeError } from '@palisade/contracts';
import { readRegularFile } from './bounded-read.ts';
import { UsageError } from './tree/usage-error.ts';

/**
 * The regular files under a directory, sorted by path. A symbolic link or special file is refused: what it
 * names may change or lie outside. Raises `too_large` above the limits of a capability.
 */
export function filesUnder(root: string, shown: string): CapabilityFile[] {
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`${shown} is not a directory`);
  const files: CapabilityFile[] = [];
  let bytes = 0;
  const tooLarge = (): PalisadeError =>
    new PalisadeError('too_large', `the files are larger than ${limits.capabilityBytes} bytes`);
  const walk = (directory: string, prefix: string): void => {
    for (const name of readdirSync(directory).toSorted()) {
      if (name === '.git') continue;
      const path = join(directory, name);
      const inside = `${prefix}${name}`;
      const facts = lstatSync(path);
      if (facts.isDirectory()) {
        walk(path, `${inside}/`);
        continue;
      }
      if (!facts.isFile())
        throw new PalisadeError('unsafe_path', `${inside} is a symbolic link or special file`);
      if (files.length === limits.capabilityEntries)
        throw new PalisadeError('too_large', `there are more than ${limits.capabilityEntries} files`);
      const content = readRegularFile(
        path,
        { shown: inside, maxBytes: limits.capabilityBytes - bytes, tooLarge },
        'refuse',
      );
      bytes += content.length;
      files.push({
        path: inside,
        base64: content.toString('base64'),
        ...((facts.mode & 0o111) === 0 ? {} : { executable: true }),
      });
    }
  };
  walk(root, '');
  if (files.length === 0) throw new UsageError(`${shown} holds no files`);
  return files;
}

import { copyFile, stat, utimes } from 'node:fs/promises';

/**
 * Copies an index so that its stat data stays trustworthy. Git takes an entry for clean by stat
 * data alone only when its file is older than the index, in whole seconds. A copy that looked
 * younger than the original would hide an edit of equal size made within the second of the
 * checkout, so the copy keeps the original's time, rounded down.
 */
export async function copyIndex(source: string, target: string): Promise<void> {
  const { mtimeMs } = await stat(source);
  await copyFile(source, target);
  const seconds = Math.floor(mtimeMs / 1_000);
  await utimes(target, seconds, seconds);
}

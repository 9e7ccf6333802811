import { closeSync, fsyncSync, openSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { ATTEMPT_FILES, type AttemptResult } from '@palisade/contracts';
import { writeAll } from './overlay/safe-file.ts';

/** Writes the attempt's end so that it appears whole or not at all, and survives the machine. */
export function writeResult(attemptDir: string, result: AttemptResult): void {
  const target = join(attemptDir, ATTEMPT_FILES.result);
  const draft = `${target}.${process.pid}`;
  const file = openSync(draft, 'w', 0o644);
  try {
    writeAll(file, Buffer.from(`${JSON.stringify(result)}\n`, 'utf8'));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, target);
  const dir = openSync(attemptDir, 'r');
  try {
    fsyncSync(dir);
  } finally {
    closeSync(dir);
  }
}

import { closeSync, fsyncSync, linkSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ATTEMPT_FILES, type AttemptClaim } from '@palisade/contracts';

/**
 * Takes the attempt, or finds that its fate is decided already. The file appears complete or not at
 * all: it is written under another name and linked, and a link fails when the name exists.
 *
 * @returns false when somebody else took it first; the caller must leave without any effect
 */
export function takeClaim(attemptDir: string, claim: AttemptClaim): boolean {
  const target = join(attemptDir, ATTEMPT_FILES.claim);
  const draft = `${target}.${process.pid}`;
  const file = openSync(draft, 'wx', 0o644);
  try {
    writeSync(file, `${JSON.stringify(claim)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  try {
    linkSync(draft, target);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTimeNow } from '@palisade/process';

const FILE = 'beginning';

/**
 * Notes below `stateDir` from when on processes of an attempt can exist, as a start time of the process table. The
 * first note stands: another sandbox of the same attempt does not make it younger.
 */
export function noteBeginning(stateDir: string): number {
  const now = startTimeNow();
  try {
    writeFileSync(join(stateDir, FILE), String(now), { flag: 'wx' });
  } catch {
    // Without a note every process is looked at.
  }
  return now;
}

/** The note, or 0 where there is none that can be believed: one from before the machine started again lies ahead. */
export function beginningOf(stateDir: string): number {
  try {
    const noted = Number(readFileSync(join(stateDir, FILE), 'latin1'));
    return noted > 0 && noted <= startTimeNow() ? noted : 0;
  } catch {
    return 0;
  }
}

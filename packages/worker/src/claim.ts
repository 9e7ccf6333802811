import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
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

/**
 * Who this process is, in a way no later process can be: its id, the kernel's start time of it and
 * the boot it belongs to. Where there is no /proc both are empty: then only the id is known, and an
 * engine can only say whether some process has it.
 */
export function ownClaim(): AttemptClaim {
  return { by: 'worker', pid: process.pid, ...processIdentity() };
}

function processIdentity(): { start_time: string; boot_id: string } {
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1');
    // The program's name, in parentheses, may contain anything; fields are counted after the last one.
    const startTime = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    if (startTime !== undefined && bootId !== '') return { start_time: startTime, boot_id: bootId };
  } catch {
    // No /proc on this system.
  }
  return { start_time: '', boot_id: '' };
}
